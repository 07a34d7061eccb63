"""CONV_2D equals TFLM on random geometry, groups, quantisation, activations and types."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, quantize_multiplier
from arenite.ops.kernel_util import window_output_size
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.convolutions import (
    FLOAT,
    INT8,
    INT16,
    INT16_SHORT,
    Operands,
    exact_inputs,
    pack_int4,
    run,
    windows,
)
from tests.ops.differential import equals_tflm, one_operator, refuses_in_words

#: Weights of these models may have zero points, which kernels do not count, as they warn.
pytestmark = pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(FLOAT + INT8 * 2 + INT16 + INT16_SHORT))
    window = draw(windows())
    batch, groups = draw(st.integers(1, 2)), draw(st.sampled_from([1, 1, 1, 2, 3]))
    depth, filters = draw(st.integers(1, 5)), draw(st.integers(1, 5)) * groups
    operands = Operands(draw, kind)
    b = operands.builder
    inputs = [
        operands.x((batch, *window.size, depth * groups)),
        operands.weights((filters, *window.filter, depth), axis=0),
        *operands.bias(filters),
    ]
    y = operands.y((batch, *window.output, filters))
    options = Conv2DOptions(
        padding=window.padding,
        stride_w=window.stride[1],
        stride_h=window.stride[0],
        fused_activation_function=draw(st.integers(0, 5)),
        dilation_w_factor=window.dilation[1],
        dilation_h_factor=window.dilation[0],
        quantized_bias_type=draw(st.sampled_from([0, 2, 4])),
    )
    return one_operator(b, "CONV_2D", inputs, [y], options)


test_equals_tflm = equals_tflm(models(), inputs=exact_inputs)


PLAIN = Conv2DOptions(padding=1, stride_w=1, stride_h=1)
SAME = replace(PLAIN, padding=0)
TO_1 = replace(PLAIN, fused_activation_function=2)


def conv(
    x: tuple[int, ...],
    weights: Any,
    bias: Any = None,
    *,
    kind: str = "int8",
    options: Conv2DOptions = PLAIN,
    x_zero: int = 0,
    scales: tuple[Any, Any, float] = (1.0, 1.0, 1.0),
) -> Model:
    """A convolution of images of shape ``x``; scales of input, weights and output."""
    b = ModelBuilder()
    values = np.asarray(weights)
    quantized = values.dtype.kind == "i"
    x_index = b.input("x", x, kind, scale=scales[0], zero_point=x_zero)
    w = b.constant("w", values, scale=scales[1] if quantized else None)
    inputs = [x_index, w]
    if bias is not None:
        inputs.append(b.constant("b", bias))
    n, height, width, _ = x
    oh = window_output_size(options.padding, height, values.shape[1], options.stride_h or 1, 1)
    ow = window_output_size(options.padding, width, values.shape[2], options.stride_w or 1, 1)
    y = b.tensor("y", (n, max(oh, 1), max(ow, 1), len(values)), kind, scale=scales[2])
    return one_operator(b, "CONV_2D", inputs, [y], options)


def int8(*shape: int, value: int = 1) -> Any:
    return np.full(shape, value, np.int8)


def test_output_is_the_scaled_sum_of_products_and_bias() -> None:
    """(1 * 10 + 2 * 20 - 6) * 0.25 = 11"""
    weights = np.array([10, 20], np.int8).reshape(1, 1, 1, 2)
    model = conv((1, 1, 1, 2), weights, np.array([-6], np.int32), scales=(0.5, 0.5, 1.0))
    assert run(model, [1, 2]) == [[[[11]]]]


def test_padding_has_the_value_of_the_zero_point() -> None:
    model = conv((1, 1, 1, 1), int8(1, 3, 3, 1), options=SAME, x_zero=-128)
    assert run(model, [-100]) == [[[[28]]]]


def test_each_channel_has_its_own_scale() -> None:
    model = conv((1, 1, 1, 1), int8(2, 1, 1, 1), scales=(1.0, [1.0, 0.5], 1.0))
    assert run(model, [10]) == [[[[10, 5]]]]


def test_groups_see_their_own_input_channels() -> None:
    weights = np.array([1, 10], np.int8).reshape(2, 1, 1, 1)
    assert run(conv((1, 1, 1, 2), weights), [3, 4]) == [[[[3, 40]]]]


def test_taps_far_outside_the_image_count_nothing() -> None:
    far = replace(SAME, dilation_h_factor=2**31 - 1, dilation_w_factor=2**31 - 1)
    model = conv((1, 2, 2, 1), int8(1, 3, 3, 1), options=far)
    assert run(model, [1, 2, 3, 4]) == [[[[1], [2]], [[3], [4]]]]


@pytest.mark.parametrize(("bias_type", "expected"), [(np.int32, -4), (np.int64, 4)])
def test_int16_sums_have_the_bits_of_the_bias(bias_type: Any, expected: int) -> None:
    """2**31 - 4 + 2 * 4 is negative in 32 bits."""
    weights = np.array([4], np.int8).reshape(1, 1, 1, 1)
    bias = np.array([2**31 - 4], bias_type)
    model = conv((1, 1, 1, 1), weights, bias, kind="int16", scales=(1.0, 2.0**-14, 2.0**15))
    assert run(model, [2]) == [[[[expected]]]]


@pytest.mark.parametrize("taps", [1, 3])
@pytest.mark.parametrize(("size", "depth", "filters"), [(20, 32, 96), (40, 8, 12), (3, 128, 256)])
def test_large_products_are_computed_in_parts(
    taps: int, size: int, depth: int, filters: int
) -> None:
    rng = np.random.default_rng(taps)
    weights = rng.integers(-128, 128, (filters, taps, taps, depth), dtype=np.int8)
    x = rng.integers(-128, 128, (2, size, size, depth), dtype=np.int8)
    real = 1.0 / (128 * taps * np.sqrt(depth))
    expected = multiply_by_quantized_multiplier(
        sums_of_products(x, weights), *quantize_multiplier(float(np.float32(real)))
    )
    model = conv(x.shape, weights, options=SAME, scales=(real, 1.0, 1.0))
    np.testing.assert_array_equal(run(model, x), np.clip(expected, -128, 127))


def sums_of_products(x: Any, weights: Any) -> Any:
    """A convolution with SAME padding and stride 1, in int64."""
    _, taps, _, _ = weights.shape
    margin = taps // 2
    size = x.shape[1]
    border = np.pad(x.astype(np.int64), ((0, 0), (margin, margin), (margin, margin), (0, 0)))
    return sum(
        border[:, i : i + size, j : j + size] @ weights[:, i, j].T.astype(np.int64)
        for i, j in np.ndindex(taps, taps)
    )


def test_weights_may_be_computed_by_the_model() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1, 1, 1), "int8", scale=1.0)
    weights = b.input("w", (1, 1, 1, 1), "int8", scale=1.0)
    y = b.tensor("y", (1, 1, 1, 1), "int8", scale=1.0)
    b.operator("CONV_2D", [x, weights], [y], PLAIN)
    b.output(y)
    interpreter = HeapInterpreter(b.build())
    interpreter.allocate_tensors()
    interpreter.input(0)[...] = 3
    for weight in (2, 5):
        interpreter.input(1)[...] = weight
        interpreter.invoke()
        assert interpreter.output(0).item() == 3 * weight


def test_kernel_follows_a_resized_input() -> None:
    interpreter = HeapInterpreter(conv((1, 2, 2, 1), int8(1, 2, 2, 1)))
    for size in (2, 3):
        interpreter.resize_input(0, (1, size, size, 1))
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = 1
        interpreter.invoke()
        assert interpreter.output(0).tolist() == int8(1, size - 1, size - 1, 1, value=4).tolist()


def test_infinite_floats_pass_without_a_warning() -> None:
    weights = np.ones((1, 1, 1, 2), np.float32)
    model = conv((1, 1, 1, 2), weights, kind="float32")
    assert np.isnan(run(model, [np.inf, -np.inf])).all()


test_refuses = refuses_in_words(
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), kind="float32"), "TFLM runs no hybrid models"),
    (conv((1, 1, 1, 3), int8(2, 1, 1, 2)), "a multiple of the filter's"),
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), np.zeros(1, np.int64)), "int32 with int8"),
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), np.zeros(2, np.int32)), "as many elements as axis 0"),
    (
        conv((1, 2, 2, 1), int8(1, 3, 3, 1)),
        "a filter of (3, 3) does not fit an input of (2, 2)",
    ),
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), options=Conv2DOptions()), "must be at least 1"),
    (conv((1, 1, 1, 1), int8(3, 1, 1, 1), scales=(1, [1, 2], 1)), "expected 1 or 3 scales"),
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), scales=(1, None, 1)), "needs a scale"),
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), scales=([], 1, 1)), "needs a scale"),
    (
        conv((1, 1, 1, 1), int8(1, 1, 1, 1), scales=(2.0**-20, 1, 2.0**-31), options=TO_1),
        "a number of steps under 2**31",
    ),
    (conv((1, 1, 1, 1), int8(1, 1, 1, 1), scales=(1e6, 1, 1e-6)), "under 2**30"),
    (
        conv((1, 1, 1, 1), int8(1, 1, 1, 1), kind="int16", scales=(1, 1, 1e-5)),
        "must be under 2**14",
    ),
)


def test_int4_weights_are_unpacked_low_nibble_first() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1, 1, 2), "int8", scale=1.0)
    packed = pack_int4(np.array([-8, 7], np.int8))
    weights = b.constant("w", packed, "int4", shape=(1, 1, 1, 2), scale=1.0)
    y = b.tensor("y", (1, 1, 1, 1), "int8", scale=1.0)
    b.operator("CONV_2D", [x, weights], [y], PLAIN)
    b.output(y)
    assert run(b.build(), [2, 3]) == [[[[5]]]]


def test_packed_weights_in_a_variable_are_zero() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1, 1, 2), "int8", scale=1.0)
    w = b.tensor("w", (1, 1, 1, 2), "int4", scale=1.0, is_variable=True)
    y = b.tensor("y", (1, 1, 1, 1), "int8", scale=1.0)
    b.operator("CONV_2D", [x, w, -1], [y], PLAIN)
    b.output(y)
    assert run(b.build(), [1, 2]) == [[[[0]]]]
