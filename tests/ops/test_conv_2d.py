"""CONV_2D equals TFLM on random geometry, groups, quantisation, activations and types."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.conv_2d import Conv2DOptions
from tests.ops.convolutions import (
    FLOAT,
    INT8,
    INT16,
    INT16_SHORT,
    Operands,
    exact_inputs,
    windows,
)
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle


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
    b.operator("CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, inputs=exact_inputs(model, seed))
