"""DIV: the elementwise quotient of two inputs that broadcast, with a fused activation.

Undefined in TFLM: quotients of int8 that are small or large beside the output's scale are shifted
by numbers that C does not define. Here they come out as from the processor that is meant. x86
counts shifts modulo 32: small quotients become large values, and a quotient of zero one step. Arm
shifts everything out: such quotients become one step up or down, and where products are rounded
once, none or one down.

An integer divisor of zero is refused when it comes: TFLM's code rules it out by an assertion, which
release builds leave out, and goes on to a division that ends the process (int32) or to a shift by
all 32 bits (int8), whose result C does not define. Floats give infinity or NaN, as there.

Facts: TFLM ``micro/kernels/div.cc`` and ``reference/div.h``; gemmlowp ``fixedpoint.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT32
from arenite.numeric import fixedpoint as fp
from arenite.numeric import gemmlowp
from arenite.numeric.fixedpoint import Int64Array
from arenite.ops import Array, Context, Node, Registration, Scheme, Struct, Traits
from arenite.ops.kernel_util import allocate_struct, input_array, output_array
from arenite.ops.scheme import Pole
from arenite.ops.shared.binary import constraints, int32_is_not_quantized, map_quantized
from arenite.ops.shared.mul_div import MulDivParams, prepare_with
from arenite.ops.shared.overlap import element_by_element


class DivOptions(OptionsTable, union=29):
    """``table DivOptions``."""

    fused_activation_function: int = slot(0, "int8")


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type; C's undefined integer divisions are refused."""
    params: MulDivParams = node.params
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


def div_float(params: MulDivParams, a: Array, b: Array, out: Array) -> None:
    """``activation(a / b)`` in float32."""
    with np.errstate(all="ignore"):
        quotient = a / b
    np.clip(quotient, np.float32(params.activation_min), np.float32(params.activation_max), out=out)


def div_int32(context: Context, params: MulDivParams, a: Array, b: Array, out: Array) -> None:
    """``activation(a / b)``, rounded towards zero."""
    wide = a.astype(np.int64)
    magnitude = np.abs(wide) // np.abs(b.astype(np.int64))
    quotient = np.where((wide < 0) == (b < 0), magnitude, -magnitude)
    if quotient.max(initial=0) > np.iinfo(np.int32).max:
        context.report_error("-2**31 / -1 does not fit in int32")
    out[...] = np.clip(quotient, int(params.activation_min), int(params.activation_max))


def div_quantized(params: MulDivParams, a: Int64Array, b: Int64Array) -> Int64Array:
    """The dividend times the divisor's fixed-point reciprocal, on the output's scale."""
    divisor = b + params.input2_offset
    dividend = np.where(divisor < 0, -1, 1) * (a + params.input1_offset)
    inverse, inverse_bits = gemmlowp.reciprocal(np.abs(divisor), 31)
    headroom = gemmlowp.count_leading_sign_bits(dividend)
    quotient = fp.saturating_rounding_doubling_high_mul(
        fp.wrap_int32(dividend << headroom), inverse
    )
    shift = inverse_bits + headroom - fp.bare_shift(params.output_shift)
    moved = fp.wrap_int32(_scaled(quotient, params, shift) + params.output_offset)
    return np.clip(moved, int(params.activation_min), int(params.activation_max))


def _scaled(quotient: Int64Array, params: MulDivParams, shift: Int64Array) -> Int64Array:
    """``MultiplyByQuantizedMultiplierSmallerThanOneExp``."""
    if fp.rounds_once(params.output_shift):
        return _scaled_once(quotient * params.output_multiplier, 31 + shift)
    high = fp.saturating_rounding_doubling_high_mul(quotient, params.output_multiplier)
    if params.shifts_out:
        outside = (shift < 0) | (shift > 31)
        return np.where(outside, np.where(high < 0, -1, 1), _shift_right(high, shift))
    return _shift_right(high, shift)


def _scaled_once(product: Int64Array, total: Int64Array) -> Int64Array:
    """The product rounded once; as Arm processors shift where 64 bits and more fall off."""
    kept = np.minimum(total, 63)
    rounded = fp.wrap_int32((product + (np.int64(1) << (kept - 1))) >> kept)
    # The half that is added is the sign's bit, and none further on.
    half_is_sign = np.where(product < 0, 0, -1)
    beyond = np.where(total == 64, half_is_sign, np.where(product < 0, -1, 0))
    return np.where(total < 64, rounded, beyond)


def _shift_right(x: Int64Array, shift: Int64Array) -> Int64Array:
    """Gemmlowp's rounding right shift of int32, as x86 has shifts outside 0 .. 31."""
    mask = fp.wrap_int32((np.int64(1) << (shift & 63)) - 1)
    threshold = (mask >> 1) + (x < 0)
    shifted: Int64Array = (x >> (shift & 31)) + ((x & mask) > threshold)
    return shifted


REGISTRATION = Registration(
    init=allocate_struct(Struct("OpDataDiv", ("int32",) * 6 + ("int",))),
    prepare=prepare_with(lambda a, b, out: a / (b * out), "input 0 / (input 1 * output)"),
    invoke=invoke,
    overlap=element_by_element(0, 1),
    options=DivOptions,
    builtin_data=Struct("TfLiteDivParams", ("enum",)),
    constraints=(
        *constraints(FLOAT32, INT8, INT32),
        int32_is_not_quantized,
    ),
)

TRAITS = Traits(drawn="add")

#: Small dividends are shifted by numbers that C does not define where the least divisor is far
#: below the largest: TFLM's package had 2.5 dB with divisors from 0.33 to 2, 37.2 from 0.5 to 2.
SCHEME = Scheme(types=(INT8,), pole=Pole(1, steps=60), affine="divides")
