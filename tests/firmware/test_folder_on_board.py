"""An exported folder, built and run as it stands."""

import json
import re
from contextlib import contextmanager

import numpy as np
import pytest

import arenite as ar
from arenite.emulator.machine import Machine
from arenite.errors import BoardError
from arenite.firmware import export
from arenite.firmware.trial import trial
from tests.firmware.kernels.cortex_m.layers import Layers
from tests.firmware.models import residual

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

from arenite.firmware.board import Board


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return export(residual(), tmp_path_factory.mktemp("x") / "m", name="m", emulate=True)


def test_the_manifest_has_what_the_board_counts(written, tmp_path):
    facts = json.loads((tmp_path.parent / written.folder / "arenite.json").read_text())
    result = trial(written.folder)
    keys = "arena_bytes constant_bytes code_bytes flash_bytes stack_bytes instructions equal"
    assert {key: facts[key] for key in keys.split()} == {
        key: getattr(result, key) for key in keys.split()
    }
    assert facts["emulated"] == "cortex-m4"
    assert [layer["instructions"] for layer in facts["layers"]] == [
        layer.instructions for layer in result.layers
    ]
    assert result.self_test == "PASS m: 4 inferences, 4 layers each\n"


def test_the_readme_has_what_the_board_counts(written, tmp_path):
    text = (tmp_path.parent / written.folder / "README.md").read_text()
    figures = written.figures
    assert f"| instructions of an inference | {figures.instructions:,} |" in text
    assert f"| RAM: stack of an inference | {figures.stack_bytes} bytes |" in text
    assert "Counted on an emulated cortex-m4" in text


def test_a_folder_is_called_like_the_model(written):
    board, interpreter = Board(written.folder), ar.Interpreter(residual())
    x = np.random.default_rng(0).integers(-128, 128, (5, 6), np.int8)
    np.testing.assert_array_equal(board.predict(x), interpreter.predict(x))
    real = np.linspace(-1, 1, 6, dtype=np.float32)[None]
    np.testing.assert_array_equal(board(x=real, quantize=True), interpreter(x=real, quantize=True))


def flip(path, pattern, change):
    """Another number in the place of the first that the pattern's group finds."""
    text = path.read_text()
    found = re.search(pattern, text)
    path.write_text(text[: found.start(1)] + str(change(int(found[1]))) + text[found.end(1) :])


@pytest.mark.parametrize(
    ("file", "pattern", "change"),
    [
        ("weights.c", r"m_weights_0\[36\] = \{\s*(-?\d+)", lambda value: value ^ 1),
        ("model.c", r"m_fully_connected_1\(AT\(const int8_t, (\d+)\)", lambda value: value + 4),
        ("kernels.c", r"ar_clamp_offset\(scaled, (-?\d+)", lambda value: value ^ 1),
    ],
    ids=["weights", "plan", "code"],
)
def test_a_byte_that_is_another_fails_loudly(tmp_path, file, pattern, change):
    export(residual(), tmp_path, name="m", target="cortex-m3")
    flip(tmp_path / "src" / file, pattern, change)
    result = trial(tmp_path)
    assert not result.equal
    assert result.self_test.splitlines()[-1] == "FAIL m"
    assert result.differences[0].startswith("FAIL sample 0, ")


def test_an_instruction_that_is_another_fails_loudly(tmp_path):
    layers = Layers(3)
    layers.dense(8, 8)
    export(layers.build(), tmp_path, name="m")
    flip(tmp_path / "src" / "kernels.S", r"ssat \w+, #(8),", lambda bits: bits - 1)
    result = trial(tmp_path)
    assert result.self_test.splitlines()[-1] == "FAIL m"
    assert "FULLY_CONNECTED" in result.differences[0]


def test_a_folder_that_was_not_exported_is_refused(tmp_path):
    with pytest.raises(BoardError, match=r"expected an exported folder, got .* without arenite"):
        Board(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"layers": None},
        {"name": "a-b"},
        {"inputs": "x"},
        {"inputs": [{"name": "x"}]},
        {"arena_bytes": "many"},
        {"inputs": [{"name": "", "type": "int8", "shape": [1 << 40], "scale": 0, "zero_point": 0}]},
    ],
)
def test_a_broken_manifest_is_refused(written, tmp_path, change):
    facts = json.loads((tmp_path.parent / written.folder / "arenite.json").read_text())
    (tmp_path / "arenite.json").write_text(json.dumps({**facts, **change}))
    with pytest.raises(BoardError, match=r"broken|impossible|no list"):
        Board(tmp_path)


def test_a_folder_without_its_sources_is_an_error_of_the_board(written, tmp_path):
    manifest = (tmp_path.parent / written.folder / "arenite.json").read_text()
    (tmp_path / "arenite.json").write_text(manifest)
    with pytest.raises(BoardError, match="has no src"):
        Board(tmp_path)


def test_only_what_is_shown_is_counted(monkeypatch, tmp_path):
    counted: list[str] = []
    counting = Machine.counting

    @contextmanager
    def seen_counting(machine):
        counted.append("")
        with counting(machine):
            yield

    monkeypatch.setattr(Machine, "counting", seen_counting)
    export(residual(), tmp_path / "m", name="m", emulate=True)
    # The first inference and the next, layer by layer and as a whole; neither other inputs nor the
    # self-test.
    assert len(counted) == 4


def test_what_runs_uncounted_costs_no_counts_and_what_follows_all_of_them():
    device = Board(residual(), name="m")._device
    first = device.invoke()
    before = device.machine.count()
    device.invoke_uncounted()
    assert device.machine.count() == before
    assert device.invoke() == first
