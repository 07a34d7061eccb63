"""DEPTHWISE_CONV_2D equals TFLM on random windows, quantisation, activations and types."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from tests.ops.convolutions import FLOAT, INT8, INT16, Operands, exact_inputs, run, windows
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses_in_words
from tests.oracle import Oracle

#: Weights of these models may have zero points, which kernels do not count, as they warn.
pytestmark = pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(FLOAT + INT8 * 2 + INT16))
    window = draw(windows())
    batch, depth, multiplier = (draw(st.integers(1, n)) for n in (2, 5, 3))
    channels = depth * multiplier
    operands = Operands(draw, kind)
    b = operands.builder
    inputs = [
        operands.x((batch, *window.size, depth)),
        operands.weights((1, *window.filter, channels), axis=3),
        *(index for index in operands.bias(channels) if index >= 0),
    ]
    y = operands.y((batch, *window.output, channels))
    options = DepthwiseConv2DOptions(
        padding=window.padding,
        stride_w=window.stride[1],
        stride_h=window.stride[0],
        depth_multiplier=multiplier,
        fused_activation_function=draw(st.integers(0, 5)),
        dilation_w_factor=window.dilation[1],
        dilation_h_factor=window.dilation[0],
    )
    return one_operator(b, "DEPTHWISE_CONV_2D", inputs, [y], options)


test_equals_tflm = equals_tflm(models(), inputs=exact_inputs)


PLAIN = DepthwiseConv2DOptions(padding=1, stride_w=1, stride_h=1, depth_multiplier=1)
SAME = replace(PLAIN, padding=0)


def depthwise(
    x: tuple[int, ...],
    weights: Any,
    bias: Any = None,
    *,
    kind: str = "int8",
    options: DepthwiseConv2DOptions = PLAIN,
    x_zero: int = 0,
    axis: int = 3,
    absent_bias: bool = False,
    scales: tuple[float, Any, float] = (1.0, 1.0, 1.0),
) -> Model:
    """A depthwise convolution of images as large as the output, or as one filter."""
    b = ModelBuilder()
    values = np.asarray(weights)
    quantized = values.dtype.kind == "i"
    x_index = b.input("x", x, kind, scale=scales[0], zero_point=x_zero)
    w = b.constant("w", values, scale=scales[1] if quantized else None, quantized_dimension=axis)
    inputs = [x_index, w, *([] if bias is None else [b.constant("b", bias)])]
    inputs += [-1] * absent_bias
    size = x[1:3] if options.padding == 0 else (1, 1)
    y = b.tensor("y", (x[0], *size, values.shape[3]), kind, scale=scales[2])
    return one_operator(b, "DEPTHWISE_CONV_2D", inputs, [y], options)


def int8(*values: int) -> Any:
    """Weights for one tap."""
    return np.array(values, np.int8).reshape(1, 1, 1, -1)


def test_every_channel_is_convolved_by_itself() -> None:
    bias = np.array([1, -1], np.int32)
    assert run(depthwise((1, 1, 1, 2), int8(3, 5), bias), [10, 20]) == [[[[31, 99]]]]


def test_a_channel_gives_as_many_neighbours_as_the_depth_multiplier_says() -> None:
    twice = replace(PLAIN, depth_multiplier=2)
    model = depthwise((1, 1, 1, 2), int8(1, 2, 3, 4), options=twice)
    assert run(model, [10, 20]) == [[[[10, 20, 60, 80]]]]


def test_an_absent_bias_may_also_be_said_so_where_the_package_crashes(oracle: Oracle) -> None:
    model = depthwise((1, 1, 1, 2), int8(3, 5), absent_bias=True)
    assert run(model, [10, 20]) == [[[[30, 100]]]]
    assert agrees(oracle, model, 0).status == "crashed"


def test_scales_follow_the_last_axis() -> None:
    model = depthwise((1, 1, 1, 2), int8(2, 2), scales=(1.0, [1.0, 0.5], 1.0))
    assert run(model, [10, 10]) == [[[[20, 10]]]]


def test_padding_has_the_value_of_the_zero_point() -> None:
    weights = np.ones((1, 3, 3, 1), np.int8)
    model = depthwise((1, 1, 1, 1), weights, options=SAME, x_zero=127)
    assert run(model, [100]) == [[[[-27]]]]


def test_taps_far_outside_the_image_count_nothing() -> None:
    far = replace(SAME, dilation_h_factor=2**31 - 1, dilation_w_factor=2**31 - 1)
    model = depthwise((1, 2, 2, 1), np.ones((1, 3, 3, 1), np.int8), options=far)
    assert run(model, [1, 2, 3, 4]) == [[[[1], [2]], [[3], [4]]]]


test_refuses = refuses_in_words(
    (depthwise((1, 1, 1, 1), int8(1), kind="float32"), "TFLM runs no hybrid models"),
    (depthwise((1, 1, 1, 2), int8(1, 2, 3)), "input channels * depth_multiplier"),
    (depthwise((1, 1, 1, 1), np.ones((2, 1, 1, 1), np.int8)), "The filter has shape (1, "),
    (depthwise((1, 1, 1, 1), int8(1), np.zeros(2, np.int32)), "as many elements as axis 3"),
    (
        depthwise((1, 1, 1, 1), int8(1), np.zeros(1, np.int32), kind="int16"),
        "int64 with int16 ones",
    ),
    (depthwise((1, 1, 1, 2), int8(1, 2), axis=0, scales=(1, [1, 2], 1)), "along axis 0"),
    (depthwise((1, 1, 1, 1), np.ones((1, 2, 2, 1), np.int8)), "does not fit an input of"),
)
