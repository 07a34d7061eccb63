"""DEPTHWISE_CONV_2D equals TFLM, and runs without a bias, where TFLM's package crashes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.depthwise_conv_2d import DepthwiseConv2DOptions
from tests.ops.convolutions import FLOAT, INT8, INT16, Operands, exact_inputs, windows
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from([k for k in FLOAT + INT8 * 2 + INT16 if k.bias != "none"]))
    window = draw(windows())
    batch, depth, multiplier = (draw(st.integers(1, n)) for n in (2, 5, 3))
    channels = depth * multiplier
    operands = Operands(draw, kind)
    b = operands.builder
    inputs = [
        operands.x((batch, *window.size, depth)),
        operands.weights((1, *window.filter, channels), axis=3),
        *operands.bias(channels),
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
    b.operator("DEPTHWISE_CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, inputs=exact_inputs(model, seed))
