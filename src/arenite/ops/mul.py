"""MUL: the elementwise product of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/mul.cc``, ``mul_common.cc``, ``reference/mul.h`` and
``reference/integer_ops/mul.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arenite.fixedpoint import Int64Array, multiply_by_quantized_multiplier, wrap_int32
from arenite.memory.abi import Struct
from arenite.model import OptionsTable, TensorType, slot
from arenite.ops._binary import (
    activation_range_int32,
    constraints,
    map_quantized,
    resize_output,
)
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import (
    activation_range,
    activation_range_quantized,
    allocate_struct,
    input_array,
    input_tensor,
    output_array,
    output_tensor,
    requantization,
)
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MulOptions(OptionsTable):
    """``table MulOptions``."""

    UNION_TYPE: ClassVar[int] = 21

    fused_activation_function: int = slot(0, "int8")


@dataclass(frozen=True)
class MulParams:
    """Offsets, multiplier and shift are 0 for float32 and int32."""

    activation_min: float
    activation_max: float
    input1_offset: int = 0
    input2_offset: int = 0
    output_offset: int = 0
    output_multiplier: int = 0
    output_shift: int = 0


OP_DATA = Struct("OpDataMul", ("int32",) * 7 + ("float", "float"))
BUILTIN_DATA = Struct("TfLiteMulParams", ("enum",))


def int16_is_symmetric(node: NodeView) -> bool:
    """int16 inputs and the int16 output have zero points 0."""
    if node.input(0).type is not TensorType.INT16:
        return True
    return not any((node.input(0).zero_point, node.input(1).zero_point, node.output(0).zero_point))


def prepare(context: Context, node: Node) -> MulParams:
    """Requantisation and activation range."""
    activation = node.options.fused_activation_function
    input1 = input_tensor(context, node, 0)
    input2 = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    resize_output(context, node)
    if output.type is TensorType.FLOAT32:
        return MulParams(*activation_range(activation))
    if output.type is TensorType.INT32:
        return MulParams(*activation_range_int32(activation))
    low, high = activation_range_quantized(context, activation, output)
    with np.errstate(all="ignore"):
        real = float(np.float64(input1.scale) * input2.scale / np.float64(output.scale))
    multiplier, shift = requantization(context, real, "input 0 * input 1 / output")
    return MulParams(
        activation_min=low,
        activation_max=high,
        input1_offset=-input1.zero_point,
        input2_offset=-input2.zero_point,
        output_offset=output.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: MulParams = node.params
    a, b = input_array(context, node, 0), input_array(context, node, 1)
    out = output_array(context, node)
    if out.dtype in (np.float32, np.int32):
        mul_plain(params, a, b, out)
    else:
        map_quantized(node, lambda x, y: mul_quantized(params, x, y), a, b, out)


def mul_plain(params: MulParams, a: Array, b: Array, out: Array) -> None:
    """``activation(a * b)`` in float32, or in int32, which wraps."""
    with np.errstate(all="ignore"):
        product = a * b
    low, high = out.dtype.type(params.activation_min), out.dtype.type(params.activation_max)
    np.clip(product, low, high, out=out)


def mul_quantized(params: MulParams, a: Int64Array, b: Int64Array) -> Int64Array:
    """``activation(requantise((a - zero1) * (b - zero2)) + zero)``."""
    product = wrap_int32((a + params.input1_offset) * (b + params.input2_offset))
    result = multiply_by_quantized_multiplier(
        product, params.output_multiplier, params.output_shift
    )
    result += params.output_offset
    return np.clip(result, int(params.activation_min), int(params.activation_max))


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=MulOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        *constraints(TensorType.FLOAT32, TensorType.INT8, TensorType.INT16, TensorType.INT32),
        int16_is_symmetric,
    ),
)
