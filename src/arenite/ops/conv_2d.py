"""CONV_2D: a 2-D convolution, with groups, dilation and a fused activation.

Facts: TFLM ``micro/kernels/conv_common.cc``, ``reference/conv.h`` and
``reference/integer_ops/conv.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arenite.memory.abi import Struct
from arenite.model import OptionsTable, TensorType, slot
from arenite.ops import constraints as c
from arenite.ops._convolution import (
    Window,
    float_matrix,
    hybrid_refused,
    im2col,
    requantize_channels,
    window_of,
)
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import (
    activation_range,
    activation_range_quantized,
    allocate_struct,
    convolution_multipliers,
    input_array,
    input_tensor,
    optional_input_array,
    optional_input_tensor,
    output_array,
    output_tensor,
    unpack_int4,
)
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class Conv2DOptions(OptionsTable):
    """``table Conv2DOptions``."""

    UNION_TYPE: ClassVar[int] = 1

    padding: int = slot(0, "int8")
    stride_w: int = slot(1, "int32")
    stride_h: int = slot(2, "int32")
    fused_activation_function: int = slot(3, "int8")
    dilation_w_factor: int = slot(4, "int32", 1)
    dilation_h_factor: int = slot(5, "int32", 1)
    quantized_bias_type: int = slot(6, "int8")


@dataclass(frozen=True)
class Conv2DParams:
    """What the kernels need: geometry, offsets, requantisation per output channel."""

    window: Window
    groups: int
    input_offset: int
    output_offset: int
    multiplier: Array
    shift: Array
    activation_min: float
    activation_max: float
    accumulates_64_bits: bool
    filter_scratch: int


OP_DATA = Struct(
    "OpDataConv",
    ("int32",) * 4  # TfLitePaddingValues
    + ("int32", "int32", "int32", "int32", "int", "pointer", "pointer", "int32", "int32", "int"),
)
BUILTIN_DATA = Struct("TfLiteConvParams", ("enum", "int", "int", "enum", "int", "int", "enum"))


def channels_divide(node: NodeView) -> bool:
    """Input channels are a multiple of the filter's, and output channels of the groups."""
    depth, filter_shape = node.input(0).shape[3], node.input(1).shape
    if filter_shape[3] < 1 or depth % filter_shape[3]:
        return False
    groups = depth // filter_shape[3]
    return groups > 0 and filter_shape[0] % groups == 0


def prepare(context: Context, node: Node) -> Conv2DParams:
    """Geometry, output shape, requantisation; scratch for int4 weights."""
    options: Conv2DOptions = node.options
    output = output_tensor(context, node)
    inp = input_tensor(context, node, 0)
    weights = input_tensor(context, node, 1)
    channels = weights.shape[0]
    context.allocate_persistent_buffer(4 * channels, "per-channel multipliers")
    context.allocate_persistent_buffer(4 * channels, "per-channel shifts")
    window = window_of(context, options, inp.shape, weights.shape[1:3])
    context.resize_tensor(output.index, (inp.shape[0], *window.output_size, channels))
    # TFLM asks for the tensors a second time here, which shows in the temporary memory.
    input_tensor(context, node, 0)
    input_tensor(context, node, 1)
    bias = optional_input_tensor(context, node, 2)
    output_tensor(context, node)

    is_float = inp.type is TensorType.FLOAT32
    if is_float:
        low, high = activation_range(options.fused_activation_function)
        multiplier = shift = np.zeros(0, np.int32)
    else:
        multiplier, shift = convolution_multipliers(context, inp, weights, output, channels)
        low, high = activation_range_quantized(context, options.fused_activation_function, output)
    filter_scratch = -1
    if weights.type is TensorType.INT4:
        filter_scratch = context.request_scratch_buffer_in_arena(weights.size, "unpacked weights")
    bias_type = bias.type if bias else TensorType(options.quantized_bias_type)
    return Conv2DParams(
        window=window,
        groups=inp.shape[3] // weights.shape[3],
        input_offset=-inp.zero_point if inp.type is TensorType.INT8 else 0,
        output_offset=output.zero_point if inp.type is TensorType.INT8 else 0,
        multiplier=multiplier,
        shift=shift,
        activation_min=low,
        activation_max=high,
        accumulates_64_bits=inp.type is TensorType.INT16 and bias_type is not TensorType.INT32,
        filter_scratch=filter_scratch,
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: Conv2DParams = node.params
    x = input_array(context, node, 0)
    bias = optional_input_array(context, node, 2)
    out = output_array(context, node)
    weights = context.get_eval_tensor(node.inputs[1])
    assert weights.data is not None
    w = weights.data
    if weights.type is TensorType.INT4:
        w = unpack_int4(w, weights.size).reshape(weights.shape)
    matrices = float_matrix(node, w, params.groups)
    conv_2d(params, x, matrices, bias, out)


def conv_2d(
    params: Conv2DParams, x: Array, matrices: Array, bias: Array | None, out: Array
) -> None:
    """``out = activation(requantise(x * w + bias))``.

    ``matrices`` holds the weights as float64, one ``(kh * kw * c, filters)`` matrix per
    group. Products and sums of int8 and int16 values are exact in float64 up to 2**53.
    """
    depth = x.shape[3] // params.groups
    filters = matrices.shape[2]
    for group in range(params.groups):
        channels = slice(group * filters, (group + 1) * filters)
        part = x[..., group * depth : (group + 1) * depth]
        acc = im2col(params.window, part, params.input_offset) @ matrices[group]
        if bias is not None:
            acc += bias[channels]
        result = out[..., channels]
        if out.dtype == np.float32:
            np.clip(
                acc.reshape(result.shape).astype(np.float32),
                params.activation_min,
                params.activation_max,
                out=result,
            )
        else:
            result[...] = requantize_channels(params, acc, channels).reshape(result.shape)


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=Conv2DOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        c.inputs_between(2, 3, optional=frozenset({2})),
        c.outputs_exactly(1),
        hybrid_refused,
        c.input_types(0, TensorType.FLOAT32, TensorType.INT8, TensorType.INT16),
        c.same_type(),
        c.rank(0, 4),
        c.rank(1, 4),
        channels_divide,
    ),
)
