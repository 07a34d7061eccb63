"""CONV_2D: TFLM ``micro/kernels/cmsis_nn/conv.cc``.

int16 without a bias is summed and rescaled in 32 bits (TFLM's ``Eval`` hands over an absent bias as
one of int32); the reference takes 64. What reads behind a tensor has no defined result
(:mod:`arenite.libraries.cmsis_nn.decisions.undefined`): there the reference's are computed, with a
warning.

How int8 is computed step by step: :mod:`arenite.libraries.cmsis_nn.arithmetic.convolve`. With
vectors some positions along lines and of int4 weights have other results
(:mod:`arenite.libraries.cmsis_nn.arithmetic.cmsis_deviations`). CMSIS-NN fails on lines whose steps
leave pixels over, with int4 also on lines that are shorter than their ends: those are refused.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.libraries.cmsis_nn.arithmetic import convolve
from arenite.libraries.cmsis_nn.arithmetic.cmsis_deviations import (
    RedoneConvolution,
    RedoneParams,
    redone_int4,
    redone_line,
)
from arenite.libraries.cmsis_nn.arithmetic.dsp import Count
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import ChannelQuantization
from arenite.libraries.cmsis_nn.decisions.conv_2d import decide, overlap
from arenite.libraries.cmsis_nn.decisions.line import line_fails, line_splits
from arenite.libraries.cmsis_nn.decisions.undefined import undefined_convolution
from arenite.libraries.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.libraries.cmsis_nn.operators._convolution import allocate
from arenite.libraries.cmsis_nn.operators._narrow import INT8_PRODUCT, narrow
from arenite.libraries.cmsis_nn.operators._op_data import CONVOLUTION
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, Dims, Pair, convolution, nhwc
from arenite.model import TensorType
from arenite.ops import Array, Context, Node, NodeView, view_of
from arenite.ops.shared.convolution import invoke_with
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.target import Target


def arguments(
    params: Conv2DParams | RedoneParams,
    operands: tuple[tuple[int, ...], Array, Array | None, tuple[int, ...]],
    path: Path,
    target: Target,
    count: Count,
) -> convolve.ConvArguments:
    """Arguments of :mod:`arenite.libraries.cmsis_nn.arithmetic.convolve`, from the parameters.

    ``operands`` are the input's shape, the weights, the bias and the output's shape.
    """
    x, weights, bias, out = operands
    params = params.conv if isinstance(params, RedoneParams) else params
    window = params.window
    return convolve.ConvArguments(
        conv=ConvShape(
            input=nhwc(x),
            filter=Dims(1, *weights.shape[1:]),
            output=nhwc(out),
            stride=Pair(*window.stride),
            padding=Pair(*window.padding),
            dilation=Pair(*window.dilation),
        ),
        quant=ChannelQuantization(
            input_offset=params.input_offset,
            output_offset=params.output_offset,
            multiplier=params.multiplier,
            shift=params.shift,
            activation_min=int(params.activation_min),
            activation_max=int(params.activation_max),
        ),
        weights=weights,
        bias=np.zeros(len(weights), np.int32) if bias is None else bias.reshape(-1),
        path=path,
        target=target,
        count=count,
    )


def refuse_lines(context: Context, node: Node, path: Path) -> None:
    """Refuse lines that fail with vectors."""
    if context.target.instructions != "mve" or "arm_convolve_1_x_n_s" not in path.function:
        return
    conv = convolution(view_of(context, node))
    if line_fails(conv):
        context.report_error("with CMSIS-NN and vectors steps along a line leave no pixels over")
    if path.function == "arm_convolve_1_x_n_s4" and not line_splits(conv):
        context.report_error(
            "with CMSIS-NN, vectors and int4 weights a line is longer than its padded ends"
        )


def allocate_conv(context: Context, node: Node, path: Path) -> None:
    """As for both convolutions."""
    allocate(0)(context, node, path)
    refuse_lines(context, node, path)


def own(view: NodeView, params: Conv2DParams, path: Path) -> Conv2DParams | RedoneParams:
    """Without a bias int16 is summed in 32 bits; lines end otherwise."""
    if path.function == "arm_convolve_1_x_n_s8" and "arm_convolve_s8" not in path.calls:
        return redone_line(convolution(view), params)
    if path.has_vectors and view.input(1).type is TensorType.INT4:
        return redone_int4(convolution(view), params, path)
    if path.function != "arm_convolve_s16":
        return params
    bias = view.inputs[2] if len(view.inputs) > 2 else None
    if bias is None:
        return replace(params, accumulates_64_bits=False)
    if not params.accumulates_64_bits:
        return params
    taps = view.input(1).size // view.input(1).shape[0]
    shift = narrow(params.multiplier, params.shift, taps * INT8_PRODUCT, bias)
    return replace(params, shift=shift)


GLUE = Glue(
    decide,
    op_data=CONVOLUTION,
    allocate=allocate_conv,
    constraints=(int16_is_symmetric,),
    bits=OwnBits(RedoneParams, own, invoke_with(RedoneConvolution), "CMSIS_NN_REDONE"),
    overlap=overlap,
    undefined=undefined_convolution,
)
