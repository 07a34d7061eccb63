"""Firmware next to the reference."""

import json

import pytest

from arenite.firmware import trial as room
from tests.firmware.models import floats, residual

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


@pytest.fixture(scope="module")
def result():
    return room.trial(residual(), runs=6)


def test_all_layers_of_all_runs_are_equal(result):
    assert (result.equal, result.runs, result.differences) == (True, 6, ())
    assert [layer.name for layer in result.layers] == ["FULLY_CONNECTED"] * 2 + ["ADD", "RELU"]


def test_the_parts_make_the_sum(result):
    parts = sum(layer.instructions for layer in result.layers)
    assert parts == pytest.approx(result.instructions, rel=0.2)
    assert result.flash_bytes == result.constant_bytes + result.code_bytes


@pytest.mark.parametrize("processor", ["cortex-m0", "cortex-m3"])
def test_plain_c_runs_on_other_cores(processor):
    result = room.trial(residual(), processor)
    assert result.differences == ()
    assert result.processor == processor


def test_floats_are_equal_where_the_core_has_no_fpu():
    result = room.trial(floats(), "cortex-m0", runs=6)
    assert result.differences == ()


def test_a_layer_that_differs_is_named(monkeypatch):
    layers = room.Board.layers

    def wrong(self, *inputs, **how):
        runs = layers(self, *inputs, **how)
        return [*runs[:2], runs[2].__class__(2, runs[2].count, b"?"), *runs[3:]]

    monkeypatch.setattr(room.Board, "layers", wrong)
    result = room.trial(residual(), runs=1)
    assert result.differences == ("inference 0, layer 2, ADD",)
    assert not result.equal


def test_only_the_last_of_the_compared_inferences_is_counted(monkeypatch):
    layers, counts = room.Board.layers, []

    def seen(self, *inputs, **how):
        runs = layers(self, *inputs, **how)
        counts.append(sum(run.count.instructions for run in runs))
        return runs

    monkeypatch.setattr(room.Board, "layers", seen)
    result = room.trial(residual(), runs=3)
    assert counts == [0, 0, sum(layer.instructions for layer in result.layers)]
    assert counts[2] > 0


def test_facts_are_json(result):
    facts = json.loads(json.dumps(room.trial_facts(result)))
    assert facts["equal"] is True
    assert facts["flash_bytes"] > 0
