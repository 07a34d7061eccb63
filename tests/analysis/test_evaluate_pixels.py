"""Two models beside each other: the real numbers that both are given are the same."""

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluation.data import Reading
from arenite.analysis.inputs.media import pixel_table
from arenite.analysis.inputs.pixels import common_pixels
from arenite.analysis.inputs.values import InputError, Pixels
from arenite.model import ModelBuilder
from arenite.ops.tflite.mul import MulOptions
from tests.shared import DIGITS

SHAPE = (1, 4, 4, 1)
PICTURES = np.random.default_rng(0).integers(0, 256, (6, 4, 4, 1)).astype(np.uint8)
INT8 = {"scale": 1.0, "zero_point": -128}
SMALL = {"scale": 1 / 255, "zero_point": -128}
INT16 = {"scale": 255 / 32767, "zero_point": 0}


def echo(kind, shape=SHAPE, **quantization):
    """What goes in comes out, as real numbers."""
    b = ModelBuilder()
    x = b.input("x", shape, kind, **quantization)
    size = int(np.prod(shape))
    y = b.tensor("y", (1, size), kind, **quantization)
    b.operator("RESHAPE", [x, b.constant("shape", np.array([1, size], np.int32))], [y])
    b.output(y)
    return b.build()


def answers(model, other, x, **reading):
    """Outputs of both for the samples, which are what they were given."""
    labels = np.zeros((len(x), int(np.prod(model.outputs[0].shape))))
    return ar.evaluate(model, (x, labels), against=other, reading=Reading(**reading))


MODELS = {
    "float32": echo("float32"),
    "int8 to 255": echo("int8", **INT8),
    "int8 to 1": echo("int8", **SMALL),
    "int16 to 255": echo("int16", **INT16),
}


@pytest.mark.parametrize("first", MODELS)
@pytest.mark.parametrize("second", MODELS)
def test_pictures_are_the_same_real_numbers_for_both(first, second):
    found = answers(MODELS[first], MODELS[second], PICTURES)
    one, two = (score.values for score in found.scores)
    # The first input of integers says what a white pixel is; the other holds that, or its most.
    most = 1 if "to 1" in second and "float" not in second else 255
    assert np.abs(np.clip(one, 0, most) - two).max() <= 0.5 * 255 / 255 + 1e-3


@pytest.mark.parametrize(
    ("first", "second"), [("float32", "int8 to 255"), ("int8 to 255", "float32")]
)
def test_a_float_model_gets_the_range_of_the_other_one_whichever_comes_first(first, second):
    found = answers(MODELS[first], MODELS[second], PICTURES)
    assert found.pixels == "pixels 0..255 as 0..255"
    assert [score.values.max() for score in found.scores] == [PICTURES.max()] * 2


def test_a_range_that_is_given_holds_for_both():
    found = answers(MODELS["float32"], MODELS["int8 to 255"], PICTURES, pixels=Pixels((0, 100)))
    assert found.scores[0].values.max() == pytest.approx(PICTURES.max() / 255 * 100, rel=1e-6)
    assert np.abs(found.scores[0].values - found.scores[1].values).max() <= 0.5


def test_a_model_that_is_alone_takes_what_it_took():
    found = ar.evaluate(MODELS["float32"], (PICTURES, np.zeros((6, 16))))
    assert found.pixels == "pixels 0..255 as 0..1"
    assert found.score.values.max() <= 1


@pytest.mark.parametrize("second", ["float32", "int16 to 255", "int8 to 1"])
def test_integers_of_the_first_model_stand_for_their_real_numbers_with_the_other(second):
    x = (PICTURES // 2).astype(np.int8)
    found = answers(MODELS["int8 to 255"], MODELS[second], x)
    one, two = (score.values for score in found.scores)
    most = 1 if "to 1" in second else 255
    assert np.abs(np.clip(one, 0, most) - two).max() < 0.01


def test_integers_that_are_real_numbers_for_one_model_are_so_for_the_other():
    x = (PICTURES // 2).astype(np.int16)  # for int8 real numbers, and not the integers of int16
    found = answers(MODELS["int8 to 255"], MODELS["int16 to 255"], x)
    assert np.abs(found.scores[0].values - found.scores[1].values).max() < 0.01


def test_compare_gives_real_numbers_to_inputs_of_other_scales():
    x = np.zeros(SHAPE, np.int8)  # 128 in the first model, the most that the second holds
    found = ar.compare(MODELS["int8 to 255"], MODELS["int16 to 255"], [x])
    assert found.layers[-1].sqnr > 40
    found = ar.compare(MODELS["int8 to 1"], echo("int8", scale=2 / 255, zero_point=-128), [x])
    assert found.layers[-1].sqnr > 40


def test_a_model_that_takes_bytes_is_asked_with_bytes_alone():
    bytes_, small = echo("uint8"), MODELS["int8 to 1"]
    assert common_pixels(Pixels(), [bytes_, MODELS["float32"]]).range == (0, 255)
    with pytest.raises(InputError, match="evaluate each of them by itself"):
        common_pixels(Pixels(), [small, bytes_])
    with pytest.raises(InputError, match="takes bytes as they are, so pixels are 0 to 255"):
        pixel_table(bytes_.inputs[0], Pixels((0, 1)), "x.png")


def scaling():
    """A float model that begins by making small numbers of bytes."""
    b = ModelBuilder()
    x = b.input("x", SHAPE, "float32")
    c = b.constant("c", np.full((1,), 1 / 255, np.float32))
    y = b.tensor("y", SHAPE, "float32")
    b.operator("MUL", [x, c], [y], MulOptions())
    flat = b.tensor("flat", (1, 16), "float32")
    b.operator("RESHAPE", [y, b.constant("shape", np.array([1, 16], np.int32))], [flat])
    b.output(flat)
    return b.build()


@pytest.mark.parametrize(
    ("pixels", "count"), [(Pixels(), 1), (Pixels((0, 1)), 0), (Pixels((0, 255)), 0)]
)
def test_a_model_that_scales_bytes_is_pointed_out_unless_a_range_is_given(pixels, count):
    found = ar.evaluate(scaling(), (PICTURES, np.zeros((6, 16))), reading=Reading(pixels=pixels))
    assert len(found.notes) == count
    assert all("--pixel-range 0 255" in note for note in found.notes)


def test_a_side_that_holds_other_numbers_is_pointed_out():
    (note,) = answers(MODELS["int8 to 255"], MODELS["int8 to 1"], PICTURES).notes
    assert "pixels 0..255 are 0..255 for all" in note
    assert "holds 0..1" in note


def test_digits_of_a_published_model_are_what_they_were():
    with np.load(DIGITS.parent / "held_out.npz") as file:
        data = file["images"], file["labels"]
    assert ar.evaluate(DIGITS, data, against="@cortex-m4").different().size == 0
