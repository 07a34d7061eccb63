"""CONV_2D: TFLM ``micro/kernels/cmsis_nn/conv.cc``.

int16 without a bias is summed and rescaled in 32 bits (TFLM's ``Eval`` hands over an absent bias as
one of int32); the reference takes 64. Groups have no defined results where CMSIS-NN's functions
know nothing of them, with int16 activations or int4 weights, which they read behind the filters'
end; nor with int8 and no bias, where from the second group on the bias's address is near 0
(``arm_convolve_s16.c``, ``arm_convolve_s4.c``, ``arm_convolve_s8.c``). There the reference's are
computed.

How int8 is computed step by step: :mod:`arenite.cmsis_nn.arithmetic.convolve`. With vectors
CMSIS-NN's own ``arm_convolve_1_x_n_s8`` (July 2026) fails or has other results than TFLM's
reference on some lines with steps, :func:`~arenite.cmsis_nn.decisions.line.line_is_exact` says on
which; Arenite has the reference's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.cmsis_nn.arithmetic import convolve
from arenite.cmsis_nn.arithmetic.dsp import Count
from arenite.cmsis_nn.arithmetic.mat_mult import ChannelQuantization
from arenite.cmsis_nn.decisions.conv_2d import decide
from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.decisions.shapes import ConvShape, Dims, Pair, nhwc
from arenite.cmsis_nn.glue import Glue, OwnBits
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.cmsis_nn.operators._convolution import allocate
from arenite.cmsis_nn.operators._op_data import CONVOLUTION
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.target import Target


def arguments(
    params: Conv2DParams,
    operands: tuple[tuple[int, ...], Array, Array | None, tuple[int, ...]],
    path: Path,
    target: Target,
    count: Count,
) -> convolve.ConvArguments:
    """What :mod:`arenite.cmsis_nn.arithmetic.convolve` takes, from the reference's parameters.

    ``operands`` are the input's shape, the weights, the bias and the output's shape.
    """
    x, weights, bias, out = operands
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


def own(view: NodeView, params: Conv2DParams, path: Path) -> Conv2DParams:
    """Without a bias int16 is summed in 32 bits."""
    has_bias = len(view.inputs) > 2 and view.inputs[2] is not None
    if path.function != "arm_convolve_s16" or has_bias or params.groups > 1:
        return params
    return replace(params, accumulates_64_bits=False)


GLUE = Glue(
    decide,
    op_data=CONVOLUTION,
    allocate=allocate(0),
    constraints=(int16_is_symmetric,),
    bits=OwnBits(Conv2DParams, own),
)
