"""What an export makes of a model before it is text, and what it says of that."""

import hashlib
import json

import numpy as np
import pytest

import arenite as ar
from arenite.errors import OptimizationError
from arenite.firmware import export
from arenite.firmware.plan import golden as golden_room
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.pad import REGISTRATION as PAD
from arenite.optimize.planning import Head
from arenite.target import Target
from tests.firmware.built import Compiled
from tests.firmware.models import residual
from tests.firmware.streaming.chains import Folder, self_tests
from tests.firmware.streaming.models import tower
from tests.ops.differential import random_array

VALID = 1


def padded() -> Model:
    """int8 [1,8,8,4] -> a PAD, which the 3x3 convolution behind it can do itself."""
    rng = np.random.default_rng(0)
    b = ModelBuilder()
    x = b.input("x", (1, 8, 8, 4), "int8", scale=0.1, zero_point=3)
    wide = b.tensor("wide", (1, 10, 10, 4), "int8", scale=0.1, zero_point=3)
    edges = b.constant("edges", np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32))
    b.operator("PAD", [x, edges], [wide], PAD.options() if PAD.options else None)
    weights = b.constant("w", rng.integers(-127, 128, (8, 3, 3, 4), np.int8), scale=0.01)
    bias = b.constant("b", rng.integers(-90, 90, 8).astype(np.int32), scale=0.001)
    y = b.tensor("y", (1, 8, 8, 8), "int8", scale=0.2, zero_point=-4)
    b.operator("CONV_2D", [wide, weights, bias], [y], Conv2DOptions(VALID, 1, 1, 0))
    b.output(y)
    return b.build()


def test_passes_run_before_and_the_outputs_are_the_original_s(tmp_path):
    small = export(padded(), tmp_path / "small", target=None)
    plain = export(padded(), tmp_path / "plain", target=None, optimize=False)
    assert [layer.name for layer in plain.layers] == ["PAD", "CONV_2D"]
    assert [layer.name for layer in small.layers] == ["CONV_2D"]
    assert small.arena_bytes < plain.arena_bytes
    compiled, interpreter = Compiled(small, padded()), ar.Interpreter(padded())
    rng = np.random.default_rng(1)
    for _ in range(5):
        x = random_array(padded().inputs[0], rng)
        np.testing.assert_array_equal(compiled(x)[0], interpreter(x))


def test_a_folder_says_which_model_it_was_made_of_and_what_passes_gained(tmp_path):
    file = tmp_path / "pads.tflite"
    file.write_bytes(tflite.write(padded()))
    made = export(file, tmp_path / "m", target=None)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    facts = json.loads((tmp_path / "m" / "arenite.json").read_text("utf-8"))["model"]
    assert made.model == facts
    assert (facts["file"], facts["sha256"]) == ("pads.tflite", digest)
    assert facts["optimized"]["layers"] == [2, 1]
    before, after = facts["optimized"]["alive_bytes"]
    assert after < before
    text = (tmp_path / "m" / "README.md").read_text("utf-8")
    assert digest in text
    assert facts["optimized"]["sha256"] in text
    assert f"1 layers, not 2; {after:,} bytes of RAM alive at once, not {before:,}" in text


def test_a_file_that_has_been_written_over_does_not_count(tmp_path):
    file = tmp_path / "m.tflite"
    file.write_bytes(tflite.write(padded()))
    model = ar.load(file)
    file.write_bytes(tflite.write(residual()))
    made = export(model, tmp_path / "m", target=None)
    assert made.model["sha256"] == hashlib.sha256(tflite.write(model)).hexdigest()


def test_without_passes_there_is_nothing_to_be_said_of_them(tmp_path):
    made = export(padded(), tmp_path / "m", target=None, optimize=False)
    assert made.model["optimized"] is None
    assert "Passes" not in (tmp_path / "m" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("overlap", ["none", "portable", "target"])
def test_a_plan_for_tflm_s_arena_is_left_out(tmp_path, overlap):
    head = Head.of(tower(), Target("cortex-m4"), overlap)
    planned = head.finished(head.layout(seconds=10))
    assert OFFLINE_METADATA in planned.metadata
    folders = []
    for name, target in (("c", None), ("s", "cortex-m4")):
        made = export(planned, tmp_path / name, name=name, target=target)
        plain = export(tower(), tmp_path / f"{name}_plain", target=target)
        assert made.arena_bytes == plain.arena_bytes
        folders.append(Folder(made.folder, made.name))
    assert self_tests(tmp_path, folders[:1]).count("PASS") == 1


def test_a_pass_that_changes_outputs_is_found(tmp_path, monkeypatch):
    wrong = iter(range(100))
    take = golden_room.run_once
    monkeypatch.setattr(
        golden_room, "run_once", lambda *a: [y + next(wrong) for y in take(*a) or ()]
    )
    with pytest.raises(OptimizationError, match=r"sample 0: a pass changed output 0"):
        export(padded(), tmp_path / "m", target=None)
    assert not (tmp_path / "m").exists()
