"""Convolutions for CMSIS-NN: random models, and one by hand."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.libraries.cmsis_nn.arithmetic.convolve import ConvArguments
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import ChannelQuantization
from arenite.libraries.cmsis_nn.decisions.conv_2d import arm_convolve_wrapper_s8
from arenite.libraries.shapes import ConvShape
from arenite.model import Model
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.target import Target
from tests.ops.convolutions import Kind, Operands, Windows, windows

DSP, PLAIN, MVE = (Target(name) for name in ("cortex-m4", "cortex-m0", "cortex-m55"))


@st.composite
def shapes(draw: st.DrawFn) -> Windows:
    """Windows of all kinds, pointwise ones and lines more often than by chance."""
    window = draw(windows())
    kind = draw(st.sampled_from(["any", "any", "pointwise", "strided", "line"]))
    if kind in ("pointwise", "strided"):
        one = (1, 1)
        stride = one if kind == "pointwise" else window.stride
        outputs = tuple((n + s - 1) // s for n, s in zip(window.size, stride, strict=True))
        return Windows(window.size, one, stride, one, 1, (outputs[0], outputs[1]))
    if kind == "line":
        size, taps = (1, window.size[1]), (1, window.filter[1])
        return replace(window, size=size, filter=taps, output=(1, window.output[1]))
    return window


@st.composite
def models(draw: st.DrawFn) -> Model:
    window = draw(shapes())
    batch, groups = draw(st.integers(1, 2)), draw(st.sampled_from([1, 1, 1, 2, 3]))
    depth, filters = draw(st.integers(1, 20)), draw(st.integers(1, 7)) * groups
    operands = Operands(draw, Kind("int8", "int8", draw(st.sampled_from(["int32", "none"]))))
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
    )
    b.operator("CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


def arguments(
    conv: ConvShape,
    weights: Any,
    *,
    bias: list[int] | None = None,
    offset: int = 0,
    target: Target = DSP,
    count: Counter[str] | None = None,
) -> ConvArguments:
    """A convolution whose sums are its outputs: the multiplier is 2**30, the shift 1."""
    filters = conv.output.c
    quant = ChannelQuantization(
        input_offset=offset,
        output_offset=0,
        multiplier=np.full(filters, 1 << 30, np.int32),
        shift=np.ones(filters, np.int32),
        activation_min=-128,
        activation_max=127,
    )
    return ConvArguments(
        conv=conv,
        quant=quant,
        weights=np.array(weights, np.int8).reshape(
            filters, conv.filter.h, conv.filter.w, conv.filter.c
        ),
        bias=np.array(bias or [0] * filters, np.int32),
        path=arm_convolve_wrapper_s8(conv, target),
        target=target,
        count=Counter() if count is None else count,
    )
