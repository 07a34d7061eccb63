"""What ESP-NN does wrong is refused or warned about, with its release and the way around."""

import warnings
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.device import device_operators
from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.target import Target
from tests.libraries.cmsis_nn.corners import single

SAME, VALID = 0, 1
Shape = tuple[int, ...]
INT8: dict[str, Any] = {"scale": 0.1, "zero_point": 3}


def conv(
    image: Shape,
    weights: Shape,
    output: Shape,
    *,
    padding: int = VALID,
    stride: int = 1,
    bias: bool = True,
) -> Model:
    data = np.random.default_rng(0).integers(-128, 128, weights, np.int8)
    sums = [(np.zeros(weights[0], np.int32), {"scale": 0.002})] if bias else []
    return single(
        "CONV_2D",
        (image, "int8", INT8),
        [(data, {"scale": 0.02}), *sums],
        (output, "int8", {"scale": 0.8}),
        Conv2DOptions(padding, stride, stride),
    )


def depthwise(
    image: Shape, taps: Shape, output: Shape, *, padding: int, stride: int = 1, bias: bool = True
) -> Model:
    weights = np.random.default_rng(0).integers(-128, 128, (1, *taps, image[3]), np.int8)
    sums = [(np.zeros(image[3], np.int32), {"scale": 0.002})] if bias else []
    return single(
        "DEPTHWISE_CONV_2D",
        (image, "int8", INT8),
        [(weights, {"scale": 0.02}), *sums],
        (output, "int8", {"scale": 0.8}),
        DepthwiseConv2DOptions(padding, stride, stride, 1),
    )


def softmax(*shape: int) -> Model:
    output = (shape, "int8", {"scale": 1 / 256, "zero_point": -128})
    return single("SOFTMAX", (shape, "int8", INT8), [], output, SoftmaxOptions(1.0))


def dense(batches: int, depth: int) -> Model:
    weights = np.random.default_rng(0).integers(-128, 128, (4, depth), np.int8)
    output = ((batches, 4), "int8", {"scale": 0.8})
    constants: list[Any] = [(weights, {"scale": 0.02}), (np.zeros(4, np.int32), {"scale": 0.002})]
    return single(
        "FULLY_CONNECTED",
        ((batches, depth), "int8", INT8),
        constants,
        output,
        FullyConnectedOptions(),
    )


def said(model: Model, chip: str, version: str = "1.2.3", glue: str = "1.4.0") -> str:
    """What a model is warned of on a chip; empty if of nothing."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ar.smallest_arena(model, target=Target(chip, library_version=version, glue_version=glue))
    texts = {str(one.message) for one in found if issubclass(one.category, UndefinedWarning)}
    assert len(texts) < 2
    return "".join(texts)


@pytest.mark.parametrize("chip", ["esp32", "esp32s3", "esp32p4"])
@pytest.mark.parametrize(
    "model",
    [
        conv((1, 4, 4, 3), (2, 2, 2, 3), (1, 3, 3, 2), bias=False),
        depthwise((1, 4, 4, 3), (2, 2), (1, 3, 3, 3), padding=VALID, bias=False),
    ],
    ids=["conv", "depthwise"],
)
def test_int8_without_a_bias_is_refused_since_it_crashes(chip: str, model: Model) -> None:
    with pytest.raises(ConstraintError, match="have a bias for ESP-NN"):
        ar.smallest_arena(model, target=Target(chip))


def test_a_softmax_of_one_dimension_is_refused() -> None:
    with pytest.raises(ConstraintError, match="two dimensions or more"):
        ar.smallest_arena(softmax(7), target=Target("esp32c3"))


@pytest.mark.parametrize("chip", ["esp32c3", "esp32s3", "esp32p4"])
def test_groups_are_warned_of_on_all_chips(chip: str) -> None:
    model = conv((1, 4, 4, 6), (4, 2, 2, 3), (1, 3, 3, 4))
    assert "convolve each group by itself" in said(model, chip)


def test_a_softmax_with_long_rows_overruns_its_memory() -> None:
    assert said(softmax(1, 9), "esp32c3") == ""
    assert "rows of 2 values and ESP-NN writes 9: RESHAPE to [2, 9]" in said(
        softmax(1, 2, 9), "esp32c3"
    )


@pytest.mark.parametrize("version", ["1.1.2", "1.2.0"])
def test_more_padding_at_the_end_than_at_the_beginning_is_warned_of_on_the_s3(version: str) -> None:
    """keyword spotting's first layer: 10 x 4 taps with steps of 2 over 49 x 10 values."""
    model = conv((1, 49, 10, 1), (8, 10, 4, 1), (1, 25, 5, 8), padding=SAME, stride=2)
    assert "the last windows need more" in said(model, "esp32s3", version)
    assert said(model, "esp32c3", version) == ""


def test_that_layer_is_im2col_from_1_2_1_on_which_rounds_otherwise_in_1_2_1_alone() -> None:
    model = conv((1, 49, 10, 1), (8, 10, 4, 1), (1, 25, 5, 8), padding=SAME, stride=2)
    assert "take 1.2.2 or later" in said(model, "esp32s3", "1.2.1")
    assert said(model, "esp32s3", "1.2.2") == ""


def test_1_2_6_pads_at_the_end_as_the_output_needs_it() -> None:
    model = conv((1, 8, 8, 16), (8, 4, 4, 16), (1, 8, 8, 8), padding=SAME)
    assert "the last windows need more" in said(model, "esp32s3", "1.2.3")
    assert said(model, "esp32s3", "1.2.6") == ""


def test_the_last_row_of_the_p4_has_all_of_the_image_from_1_2_6_on() -> None:
    """Filters of two rows pad behind alone; for those of three, two rows were right."""
    two = conv((1, 8, 8, 16), (8, 2, 2, 16), (1, 8, 8, 8), padding=SAME)
    three = conv((1, 8, 8, 16), (8, 3, 3, 16), (1, 4, 4, 8), padding=SAME, stride=2)
    assert "the last row wrongly on the P4" in said(two, "esp32p4", "1.2.3")
    assert said(two, "esp32p4", "1.2.6") == said(three, "esp32p4", "1.2.3") == ""


def test_equal_padding_is_not_warned_of() -> None:
    model = conv((1, 8, 8, 16), (8, 3, 3, 16), (1, 8, 8, 8), padding=SAME)
    assert said(model, "esp32s3") == ""


def test_filters_of_1x1_want_to_be_aligned_before_1_2_3() -> None:
    model = conv((1, 4, 4, 8), (8, 1, 1, 8), (1, 4, 4, 8))
    assert "alignas(16)" in said(model, "esp32s3", "1.2.2")
    assert said(model, "esp32s3", "1.2.3") == ""
    assert said(conv((1, 4, 4, 7), (8, 1, 1, 7), (1, 4, 4, 8)), "esp32s3", "1.2.2") == ""


def test_3x3_filters_that_pad_one_axis_alone_overrun_on_the_s3() -> None:
    """With steps of 2 three rows are padded on both sides, four columns at the end."""
    one = depthwise((1, 3, 4, 16), (3, 3), (1, 2, 2, 16), padding=SAME, stride=2)
    both = depthwise((1, 3, 3, 16), (3, 3), (1, 2, 2, 16), padding=SAME, stride=2)
    assert "issues 30 and 37" in said(one, "esp32s3")
    assert said(both, "esp32s3") == said(one, "esp32c3") == ""


def test_rows_that_begin_anywhere_are_warned_of_on_the_s3() -> None:
    assert "issue 34" in said(dense(2, 10), "esp32s3")
    assert said(dense(1, 10), "esp32s3") == said(dense(2, 16), "esp32s3") == ""
    assert said(dense(2, 10), "esp32p4") == ""
    assert said(dense(2, 10), "esp32s3", "1.2.6") == ""


def test_an_old_glue_makes_convolutions_of_1_2_3_plain_c() -> None:
    model = conv((1, 8, 8, 16), (8, 3, 3, 16), (1, 6, 6, 8))
    names = []
    for glue in ("1.3.5", "1.3.7"):
        target = Target("esp32s3", library_version="1.2.3", glue_version=glue)
        names.append(device_operators(model, target)[0].function)
    assert names == ["esp_nn_conv_s8_ansi", "esp_nn_conv_s8_esp32s3"]


def test_results_are_the_references() -> None:
    model = conv((1, 4, 4, 6), (4, 2, 2, 3), (1, 3, 3, 4))
    x = np.random.default_rng(1).integers(-128, 128, (1, 4, 4, 6), np.int8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = ar.Interpreter(model, target="esp32s3")(x)
    np.testing.assert_array_equal(there, ar.Interpreter(model)(x))
