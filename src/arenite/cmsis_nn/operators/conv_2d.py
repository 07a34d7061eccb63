"""CONV_2D: TFLM ``micro/kernels/cmsis_nn/conv.cc``.

int8 is computed by :mod:`arenite.cmsis_nn.convolve`. With vectors CMSIS-NN's own
``arm_convolve_1_x_n_s8`` (July 2026) fails or has other results than TFLM's reference on some
lines with steps, ``buffer_sizes.line_is_exact`` says on which; Arenite has the reference's.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn import convolve, dispatch
from arenite.cmsis_nn.dsp import Count
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.mat_mult import Quantization
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.cmsis_nn.operators._convolution import OP_DATA, allocate
from arenite.cmsis_nn.path import Path, path_to_reference
from arenite.cmsis_nn.shapes import Convolution, Dims, Pair, convolution, nhwc
from arenite.cmsis_nn.targets import Target
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array
from arenite.ops.kernel_util import input_array, optional_input_array, output_array
from arenite.ops.tflite.conv_2d import Conv2DParams


def path(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("Conv")
        case TensorType.INT16:
            return dispatch.arm_convolve_wrapper_s16(target)
    wrapper = dispatch.arm_convolve_wrapper_s8
    if view.input(1).type is TensorType.INT4:
        wrapper = dispatch.arm_convolve_wrapper_s4
    return wrapper(convolution(view), target)


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """One buffer; for int4 weights it is as large as for int8."""
    match view.input(0).type:
        case TensorType.INT8:
            size = sizes.arm_convolve_wrapper_s8_get_buffer_size(convolution(view), target)
        case TensorType.INT16:
            size = sizes.arm_convolve_wrapper_s16_get_buffer_size(convolution(view), target)
        case _:
            size = 0
    return (Scratch(size, "im2col"),) if size > 0 else ()


def invoke(context: Context, node: Node, target: Target) -> bool:
    """Compute int8 step by step; False where that cannot be done."""
    x, out = input_array(context, node, 0), output_array(context, node)
    weights = context.get_eval_tensor(node.inputs[1])
    zero_point = -node.params.input_offset
    is_int8 = x.dtype == np.int8 and weights.type is TensorType.INT8
    if not is_int8 or not -128 <= zero_point <= 127:
        return False
    assert weights.data is not None
    bias = optional_input_array(context, node, 2)
    args = arguments(node.params, (x.shape, weights.data, bias, out.shape), target, Counter())
    convolve.arm_convolve_wrapper_s8(args, x, out)
    return True


def arguments(
    params: Conv2DParams,
    operands: tuple[tuple[int, ...], Array, Array | None, tuple[int, ...]],
    target: Target,
    count: Count,
) -> convolve.Arguments:
    """What :mod:`arenite.cmsis_nn.convolve` takes, from the reference's parameters.

    ``operands`` are the input's shape, the weights, the bias and the output's shape.
    """
    x, weights, bias, out = operands
    window = params.window
    return convolve.Arguments(
        conv=Convolution(
            input=nhwc(x),
            filter=Dims(1, *weights.shape[1:]),
            output=nhwc(out),
            stride=Pair(*window.stride),
            padding=Pair(*window.padding),
            dilation=Pair(*window.dilation),
        ),
        quant=Quantization(
            input_offset=params.input_offset,
            output_offset=params.output_offset,
            multiplier=params.multiplier,
            shift=params.shift,
            activation_min=int(params.activation_min),
            activation_max=int(params.activation_max),
        ),
        weights=weights,
        bias=np.zeros(len(weights), np.int32) if bias is None else bias.reshape(-1),
        target=target,
        count=count,
    )


GLUE = Glue(
    path=path,
    op_data=OP_DATA,
    allocate=allocate(0),
    scratch=scratch,
    constraints=(int16_is_symmetric,),
    invoke=invoke,
)
