"""Where CMSIS-NN reads behind a tensor a warning says so, and results are the reference's."""

import warnings
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.libraries.cmsis_nn.corners import dense, single

SAME, VALID = 0, 1


def grouped(kind: str, weights: str, *, groups: int = 2, bias: bool = True) -> Model:
    """A 2x2 convolution of 3 channels in each group to 2 filters in each."""
    rng = np.random.default_rng(0)
    shape, filters = (2 * groups, 2, 2, 3), 2 * groups
    how: dict[str, Any] = {"scale": 0.02}
    data = rng.integers(-128, 128, shape, np.int8)
    if weights == "int4":
        data = rng.integers(0, 256, data.size // 2).astype(np.uint8)
        how |= {"type": "int4", "shape": shape}
    sums = rng.integers(-900, 900, filters).astype(np.int64 if kind == "int16" else np.int32)
    return single(
        "CONV_2D",
        ((1, 4, 4, 3 * groups), kind, {"scale": 0.1}),
        [(data, how), *([(sums, {"scale": 0.002})] if bias else [])],
        ((1, 3, 3, filters), kind, {"scale": 0.8}),
        Conv2DOptions(VALID, 1, 1),
    )


def line(pixels: int, taps: int, stride: int, outputs: int, weights: str = "int8") -> Model:
    """A padded line of 4 channels."""
    rng = np.random.default_rng(0)
    shape, how = (2, 1, taps, 4), {"scale": 0.02}
    data = rng.integers(-128, 128, shape, np.int8)
    return single(
        "CONV_2D",
        ((1, 1, pixels, 4), "int8", {"scale": 0.1, "zero_point": 3}),
        [(data, how), (np.zeros(2, np.int32), {"scale": 0.002})],
        ((1, 1, outputs, 2), "int8", {"scale": 0.8}),
        Conv2DOptions(SAME, stride, 1),
    )


def many_taps(filters: int, taps: int = 513) -> Model:
    """An int16 convolution of so many weights per filter, on two pixels."""
    rng = np.random.default_rng(0)
    data = rng.integers(-128, 128, (filters, 1, 1, taps), np.int8)
    return single(
        "CONV_2D",
        ((1, 1, 2, taps), "int16", {"scale": 0.001}),
        [(data, {"scale": 0.02}), (np.zeros(filters, np.int64), {"scale": 0.00002})],
        ((1, 1, 2, filters), "int16", {"scale": 0.01}),
        Conv2DOptions(VALID, 1, 1),
    )


def many_channels(channels: int) -> Model:
    """A depthwise convolution of int4 weights without a bias, on four positions."""
    data = np.random.default_rng(0).integers(0, 256, (channels + 1) // 2).astype(np.uint8)
    shape = (1, 2, 2, channels)
    return single(
        "DEPTHWISE_CONV_2D",
        (shape, "int8", {"scale": 0.1}),
        [(data, {"scale": 0.02, "type": "int4", "shape": (1, 1, 1, channels)})],
        (shape, "int8", {"scale": 0.8}),
        DepthwiseConv2DOptions(VALID, 1, 1, 1),
    )


def transposed(columns: int, rows: int = 9) -> Model:
    """Four columns, or rows, under three taps with steps of 2 give 9."""
    rng = np.random.default_rng(0)
    shape = (1, rows, columns, 2)
    b = ModelBuilder()
    inputs = [
        b.constant("shape", np.array(shape, np.int32)),
        b.constant("w", rng.integers(-128, 128, (2, 3, 3, 3), np.int8), scale=0.02),
        b.input("x", (1, 4, 4, 3), "int8", scale=0.1, zero_point=5),
        b.constant("b", np.zeros(2, np.int32), scale=0.002),
    ]
    y = b.tensor("y", shape, "int8", scale=0.8)
    b.operator("TRANSPOSE_CONV", inputs, [y], TransposeConvOptions(VALID, 2, 2))
    b.output(y)
    return b.build()


def short_bias(bias_type: type) -> Model:
    rng = np.random.default_rng(0)
    model = dense(rng, kind="int16", bias=False, zero_point=0)
    inputs, (weights,) = model.inputs, [t for t in model.main.tensors if t.name == "c0"]
    sums = np.zeros(weights.shape[0], bias_type)
    return single(
        "FULLY_CONNECTED",
        (inputs[0].shape, "int16", {"scale": 0.001}),
        [(np.ones(weights.shape, np.int8), {"scale": 0.02}), (sums, {"scale": 0.00002})],
        (model.outputs[0].shape, "int16", {"scale": 0.004}),
        model.main.operators[0].options,
    )


M4, M55 = "cortex-m4", "cortex-m55"
#: A model, a target, what the warning says, and the same model as the warning advises.
CASES: dict[str, tuple[Model, str, str, Model]] = {
    "groups, int4": (
        grouped("int8", "int4"),
        M4,
        "arm_convolve_s4 knows no groups",
        grouped("int8", "int4", groups=1),
    ),
    "groups, int4, vectors": (
        grouped("int8", "int4"),
        M55,
        "arm_convolve_even_s4 knows no groups",
        grouped("int8", "int4", groups=1),
    ),
    "groups, int16": (
        grouped("int16", "int8"),
        M4,
        "arm_convolve_s16 knows no groups",
        grouped("int16", "int8", groups=1),
    ),
    "groups, no bias": (
        grouped("int8", "int8", bias=False),
        M4,
        "reads a bias that is not there",
        grouped("int8", "int8"),
    ),
    "int32 bias of int16": (
        short_bias(np.int32),
        M4,
        "reads the bias of int32 as one of int64",
        short_bias(np.int64),
    ),
    "columns behind the sums": (
        transposed(10),
        M4,
        "10 columns from column 0 on are more than the input gives, 9",
        transposed(9),
    ),
    "rows that are not written": (
        transposed(9, rows=10),
        M4,
        "writes 9 rows of an image, not 10",
        transposed(9),
    ),
    "no bias for the second block": (
        many_channels(125),
        M55,
        "from channel 124 on arm_depthwise_conv_s4_opt reads a bias that is not there",
        many_channels(124),
    ),
    "odd filters": (many_taps(3), M4, "make the number of filters even", many_taps(4)),
    "pixels behind the line": (
        line(4, 5, 2, 2),
        M55,
        "reads behind the end of the line",
        line(9, 5, 1, 9),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_warning_says_what_is_read_and_what_to_do(case: str) -> None:
    model, target, words, advised = CASES[case]
    with pytest.warns(ar.UndefinedWarning, match=words):
        ar.Interpreter(model, target=target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ar.Interpreter(advised, target=target)


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("engine", ["reference", "auto"])
@pytest.mark.parametrize("case", CASES)
def test_results_are_the_references(case: str, engine: Any) -> None:
    model, target, _, _ = CASES[case]
    x = model.inputs[0]
    rng, info = np.random.default_rng(1), np.iinfo(x.type.dtype)
    values = rng.integers(info.min, info.max, x.shape, x.type.dtype, endpoint=True)
    plain = ar.Interpreter(model, target=ar.Target(target, "tflm"), engine="reference")
    there = ar.Interpreter(model, target=target, engine=engine)
    np.testing.assert_array_equal(there(values), plain(values))


@pytest.mark.parametrize("case", CASES)
def test_tflms_own_kernels_warn_of_nothing(case: str) -> None:
    model, target, _, _ = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ar.Interpreter(model, target=ar.Target(target, "tflm"))
