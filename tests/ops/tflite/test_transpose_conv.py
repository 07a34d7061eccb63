"""TRANSPOSE_CONV equals TFLM on random geometry, quantisation, activations and types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.ops.convolutions import FLOAT, INT8, INT16, Kind, Operands, exact_inputs, run
from tests.ops.differential import equals_tflm, one_operator, refuses_in_words

#: Weights of these models may have zero points, which kernels do not count, as they warn.
pytestmark = pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")

KINDS = [kind for kind in FLOAT + INT8 * 2 + INT16 if kind.weights != "int4"]
KINDS += [Kind("int16", "int8", "int16")]


def output_size(size: int, taps: int, stride: int, padding: int) -> int:
    return size * stride if padding == 0 else (size - 1) * stride + taps


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(KINDS))
    pair = st.tuples(st.integers(1, 4), st.integers(1, 4))
    size, taps, stride = draw(pair), draw(pair), draw(pair)
    padding = draw(st.integers(0, 1))
    output = [output_size(*axis, padding) for axis in zip(size, taps, stride, strict=True)]
    if draw(st.booleans()):  # TFLM takes any output size
        output = [max(1, n + draw(st.integers(-3, 3))) for n in output]
    batch, depth, filters = (draw(st.integers(1, n)) for n in (2, 5, 5))
    operands = Operands(draw, kind)
    b = operands.builder
    shape = b.constant("shape", np.array([batch, *output, filters], np.int32))
    x = operands.x((batch, *size, depth))
    weights = operands.weights((filters, *taps, depth), axis=0)
    inputs = [shape, weights, x, *operands.bias(filters)]
    y = operands.y((batch, *output, filters))
    options = TransposeConvOptions(
        padding=padding,
        stride_w=stride[1],
        stride_h=stride[0],
        fused_activation_function=draw(st.integers(0, 5)),
        quantized_bias_type=draw(st.sampled_from([0, 2, 4])),
    )
    return one_operator(b, "TRANSPOSE_CONV", inputs, [y], options)


test_equals_tflm = equals_tflm(models(), inputs=exact_inputs)


PLAIN = TransposeConvOptions(padding=1, stride_w=1, stride_h=1)


def transpose_conv(
    x: tuple[int, ...],
    weights: Any,
    y: tuple[int, ...],
    bias: Any = None,
    *,
    kind: str = "int8",
    options: TransposeConvOptions = PLAIN,
    x_zero: int = 0,
    scales: tuple[float, Any, float] = (1.0, 1.0, 1.0),
) -> Model:
    """A transposed convolution from shape ``x`` to shape ``y``."""
    b = ModelBuilder()
    shape = b.constant("shape", np.array(y, np.int32))
    values = np.asarray(weights)
    w = b.constant("w", values, scale=scales[1] if values.dtype.kind == "i" else None)
    x_index = b.input("x", x, kind, scale=scales[0], zero_point=x_zero)
    inputs = [shape, w, x_index, *([] if bias is None else [b.constant("b", bias)])]
    out = b.tensor("y", y, kind, scale=scales[2])
    return one_operator(b, "TRANSPOSE_CONV", inputs, [out], options)


def int8(*shape: int) -> Any:
    return np.ones(shape, np.int8)


def test_every_pixel_adds_the_filter_at_its_stride() -> None:
    weights = np.array([1, 2, 3], np.int8).reshape(1, 1, 3, 1)
    options = TransposeConvOptions(padding=1, stride_w=2, stride_h=1)
    model = transpose_conv((1, 1, 2, 1), weights, (1, 1, 5, 1), options=options)
    assert np.ravel(run(model, [1, 10])).tolist() == [1, 2, 13, 20, 30]


def test_what_falls_outside_the_output_is_left_out() -> None:
    weights = np.array([1, 2, 3], np.int8).reshape(1, 1, 3, 1)
    options = TransposeConvOptions(padding=0, stride_w=1, stride_h=1)
    model = transpose_conv((1, 1, 2, 1), weights, (1, 1, 2, 1), options=options)
    assert np.ravel(run(model, [1, 10])).tolist() == [12, 23]


def test_outputs_that_no_pixel_meets_have_the_bias() -> None:
    options = TransposeConvOptions(padding=1, stride_w=3, stride_h=1)
    bias = np.array([7], np.int32)
    model = transpose_conv((1, 1, 2, 1), int8(1, 1, 1, 1), (1, 1, 6, 1), bias, options=options)
    assert np.ravel(run(model, [1, 2])).tolist() == [8, 7, 7, 9, 7, 7]


def test_zero_point_is_taken_from_the_pixels() -> None:
    model = transpose_conv((1, 1, 1, 1), int8(1, 1, 2, 1), (1, 1, 2, 1), x_zero=-128)
    assert np.ravel(run(model, [-28])).tolist() == [100, 100]


def test_int16_takes_an_int16_bias() -> None:
    bias = np.array([-5], np.int16)
    model = transpose_conv((1, 1, 1, 1), int8(1, 1, 1, 1), (1, 1, 1, 1), bias, kind="int16")
    assert np.ravel(run(model, [300])).tolist() == [295]


test_refuses = refuses_in_words(
    (
        transpose_conv((1, 1, 1, 1), int8(1, 1, 1, 1), (1, 1, 1, 1), kind="float32"),
        "TFLM runs no hybrid models",
    ),
    (transpose_conv((1, 1, 1, 2), int8(1, 1, 1, 1), (1, 1, 1, 1)), "the input's depth"),
    (transpose_conv((1, 1, 1, 1), int8(2, 1, 1, 1), (1, 1, 1, 1)), "has those filters"),
    (transpose_conv((1, 1, 1, 1), int8(1, 1, 1, 1), (1, 1, 1)), "Output 0 has 4 dimensions"),
    (
        transpose_conv(
            (1, 1, 1, 1),
            int8(1, 1, 1, 1),
            (1, 1, 1, 1),
            np.zeros(1, np.int32),
            kind="int16",
        ),
        "int16 or int64 with int16 ones",
    ),
    (
        transpose_conv(
            (1, 1, 1, 1), int8(1, 1, 1, 1), (1, 1, 1, 1), options=TransposeConvOptions()
        ),
        "strides must be at least 1",
    ),
)
