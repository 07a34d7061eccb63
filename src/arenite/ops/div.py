"""DIV: the elementwise quotient of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/div.cc`` and ``reference/div.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arenite import gemmlowp
from arenite.fixedpoint import Int64Array, saturating_rounding_doubling_high_mul, wrap_int32
from arenite.memory.abi import Struct
from arenite.model import OptionsTable, TensorType, slot
from arenite.ops._binary import (
    activation_range_int32,
    constraints,
    is_quantized,
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
class DivOptions(OptionsTable):
    """``table DivOptions``."""

    UNION_TYPE: ClassVar[int] = 29

    fused_activation_function: int = slot(0, "int8")


@dataclass(frozen=True)
class DivParams:
    """Offsets, multiplier and shift are 0 for float32 and int32."""

    activation_min: float
    activation_max: float
    input1_offset: int = 0
    input2_offset: int = 0
    output_offset: int = 0
    output_multiplier: int = 0
    output_shift: int = 0


OP_DATA = Struct("OpDataDiv", ("int32",) * 6 + ("int",))
BUILTIN_DATA = Struct("TfLiteDivParams", ("enum",))


def int32_is_not_quantized(node: NodeView) -> bool:
    """int32 inputs have no quantisation."""
    if node.input(0).type is not TensorType.INT32:
        return True
    return not any(is_quantized(tensor) for tensor in node.inputs)


def prepare(context: Context, node: Node) -> DivParams:
    """Requantisation and activation range."""
    activation = node.options.fused_activation_function
    input1 = input_tensor(context, node, 0)
    input2 = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    resize_output(context, node)
    if output.type is TensorType.FLOAT32:
        return DivParams(*activation_range(activation))
    if output.type is TensorType.INT32:
        return DivParams(*activation_range_int32(activation))
    low, high = activation_range_quantized(context, activation, output)
    with np.errstate(all="ignore"):
        real = float(np.float64(input1.scale) / (np.float64(input2.scale) * output.scale))
    multiplier, shift = requantization(context, real, "input 0 / (input 1 * output)")
    return DivParams(
        activation_min=low,
        activation_max=high,
        input1_offset=-input1.zero_point,
        input2_offset=-input2.zero_point,
        output_offset=output.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type; C's undefined integer divisions are refused."""
    params: DivParams = node.params
    a, b = input_array(context, node, 0), input_array(context, node, 1)
    out = output_array(context, node)
    if out.dtype == np.float32:
        div_float(params, a, b, out)
        return
    if (b == -params.input2_offset).any():
        context.report_error("input 1 must have no zero to divide by")
    if out.dtype == np.int32:
        div_int32(context, params, a, b, out)
    else:
        map_quantized(node, lambda x, y: div_quantized(params, x, y), a, b, out)


def div_float(params: DivParams, a: Array, b: Array, out: Array) -> None:
    """``activation(a / b)`` in float32."""
    with np.errstate(all="ignore"):
        quotient = a / b
    np.clip(quotient, np.float32(params.activation_min), np.float32(params.activation_max), out=out)


def div_int32(context: Context, params: DivParams, a: Array, b: Array, out: Array) -> None:
    """``activation(a / b)``, rounded towards zero."""
    wide = a.astype(np.int64)
    magnitude = np.abs(wide) // np.abs(b.astype(np.int64))
    quotient = np.where((wide < 0) == (b < 0), magnitude, -magnitude)
    if quotient.max(initial=0) > np.iinfo(np.int32).max:
        context.report_error("-2**31 / -1 does not fit in int32")
    out[...] = np.clip(quotient, int(params.activation_min), int(params.activation_max))


def div_quantized(params: DivParams, a: Int64Array, b: Int64Array) -> Int64Array:
    """The dividend times the divisor's fixed-point reciprocal, on the output's scale."""
    divisor = b + params.input2_offset
    dividend = np.where(divisor < 0, -1, 1) * (a + params.input1_offset)
    inverse, inverse_bits = gemmlowp.reciprocal(np.abs(divisor), 31)
    headroom = gemmlowp.count_leading_sign_bits(dividend)
    quotient = saturating_rounding_doubling_high_mul(wrap_int32(dividend << headroom), inverse)
    scaled = _shift_right(
        saturating_rounding_doubling_high_mul(quotient, params.output_multiplier),
        inverse_bits + headroom - params.output_shift,
    )
    scaled += params.output_offset
    return np.clip(scaled, int(params.activation_min), int(params.activation_max))


def _shift_right(x: Int64Array, shift: Int64Array) -> Int64Array:
    """Gemmlowp's rounding right shift of int32, for shifts outside 0 .. 31 as well.

    There TFLM's kernel leaves what C defines, for small quotients on coarse output scales.
    This is what it computes on x86, which counts shifts modulo 32: such quotients come out
    as large values, and a quotient of zero as one step.
    """
    mask = wrap_int32((np.int64(1) << (shift & 63)) - 1)
    threshold = (mask >> 1) + (x < 0)
    shifted: Int64Array = (x >> (shift & 31)) + ((x & mask) > threshold)
    return shifted


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=DivOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        *constraints(TensorType.FLOAT32, TensorType.INT8, TensorType.INT32),
        int32_is_not_quantized,
    ),
)
