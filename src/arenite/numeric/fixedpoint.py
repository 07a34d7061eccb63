"""The integer arithmetic of quantised kernels, written once.

All functions work elementwise on int32-range values held in int64 arrays, so
that no intermediate product wraps unnoticed. Where C's int32 would wrap, the
function says so and wraps on purpose.

Sources of the facts: TensorFlow Lite Micro ``kernels/internal/quantization_util.cc``
and ``common.cc``, gemmlowp ``fixedpoint.h``, CMSIS-NN
``arm_nnsupportfunctions.h``.

A shift may carry :data:`ONCE`: then the product is rounded once, as in builds with
``TFLITE_SINGLE_ROUNDING`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``. So whoever makes multipliers
decides on the rounding, and whoever applies them asks nobody.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Int64Array = npt.NDArray[np.int64]

INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1
#: Added to a shift whose product is rounded once. A shift's low byte is the shift alone.
ONCE = 256
#: Added to the shift of a 64-bit product of which 31 bits are kept instead of 32.
NARROW = 512
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


def round_half_away(x: float) -> int:
    """Round to nearest, halves away from zero, as C's ``std::round`` does."""
    floor = math.floor(abs(x))
    rounded = floor + (abs(x) - floor >= 0.5)
    return -rounded if x < 0 else rounded


def quantize_multiplier(real: float) -> tuple[int, int]:
    """Split a real multiplier into ``(multiplier, shift)`` through ``frexp``.

    ``real`` is about ``multiplier * 2**(shift - 31)`` with ``multiplier`` in
    ``[2**30, 2**31)``. Multipliers under ``2**-32`` are flushed to ``(0, 0)``.

    Raises:
        ValueError: ``real`` is NaN or infinite. TFLM aborts on infinity; what it makes
            of NaN is undefined in C.

    >>> quantize_multiplier(0.035)
    (1202590843, -4)
    """
    _require_finite(real)
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    return _normalise(round_half_away(fraction * 2**31), shift)


def quantize_multiplier_integer(real: float) -> tuple[int, int]:
    """Split a real multiplier with bit operations only, for targets without an FPU.

    Agrees with :func:`quantize_multiplier`, except that it rounds an exact half
    (low 22 fraction bits equal to ``2**21``) towards zero: so does TFLM's
    ``IntegerFrExp``.

    >>> quantize_multiplier_integer(0.035)
    (1202590843, -4)
    """
    _require_finite(real)
    if real == 0.0:
        return 0, 0
    fraction, shift = integer_frexp(real)
    return _normalise(fraction, shift)


def integer_frexp(real: float) -> tuple[int, int]:
    """TFLM's ``IntegerFrExp``: ``(fraction in Q0.31, shift)`` from the IEEE-754 bits.

    Zero gives ``(0, 0)``, NaN ``(0, INT_MAX)``, infinities the int64 extremes with
    shift ``INT_MAX``. Subnormal numbers are read as if they had the implicit leading
    one, as TFLM does; their shift is so small that every caller flushes them to zero.
    """
    bits = int(struct.unpack("<Q", struct.pack("<d", real))[0])
    negative = bool(bits >> 63)
    if not bits & ~(1 << 63):
        return 0, 0
    exponent = (bits >> 52) & 0x7FF
    if exponent == 0x7FF:
        if bits & 0x000FFFFFFFC00000:
            return 0, INT32_MAX
        return (INT64_MIN if negative else INT64_MAX), INT32_MAX
    fraction = 0x40000000 + ((bits & 0x000FFFFFFFC00000) >> 22)
    if (bits & 0x003FFFFF) > 0x00200000:
        fraction += 1
    return (-fraction if negative else fraction), exponent - 1022


def multiply_integer(a: float, b: float) -> float:
    """TFLM's ``IntegerDoubleMultiply``: a product of two doubles with bit operations.

    Each counts with 31 bits, and of a product that begins with a zero the lowest two are lost.
    """
    (a_fraction, a_shift), (b_fraction, b_shift) = integer_frexp(a), integer_frexp(b)
    if INT32_MAX in (a_shift, b_shift):
        return math.nan
    return double_from((a_fraction * b_fraction) >> 32, a_shift + b_shift + 1)


def double_from(fraction: int, shift: int) -> float:
    """TFLM's ``DoubleFromFractionAndShift``: the reverse of :func:`integer_frexp`."""
    if shift == INT32_MAX:
        return math.copysign(math.inf, fraction) if fraction else math.nan
    if not fraction:
        return 0.0
    size, exponent = abs(fraction), shift - 1
    while size < 0x40000000:
        size, exponent = size * 2, exponent - 1
    while size > 0x80000000:
        size, exponent = size // 2, exponent + 1
    if exponent < -1022:
        exponent = -1023
    exponent = min(exponent, 1023) + 1023
    bits = (fraction < 0) << 63 | exponent << 52 | (size - 0x40000000) << 22
    real: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return real


def _normalise(fraction: int, shift: int) -> tuple[int, int]:
    if fraction == 2**31:
        fraction //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    return fraction, shift


def _require_finite(real: float) -> None:
    if not math.isfinite(real):
        raise ValueError(f"a quantised multiplier must be finite, got {real}")


def quantize_multipliers(
    reals: npt.ArrayLike, *, integer: bool = False
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """:func:`quantize_multiplier` for an array: int32 multipliers and int32 shifts.

    ``integer``: :func:`quantize_multiplier_integer` instead.
    """
    values = np.array(reals, np.float64, ndmin=1)
    # Of the 52 fraction bits 30 stay. Half of what falls off is added to the whole number, so
    # that a fraction which rounds up to 1 carries into the exponent. The integer way leaves an
    # exact half below.
    bits = values.view(np.int64) + (_UNDER_HALF_A_STEP if integer else _HALF_A_STEP)
    exponents = (bits >> _BITS_BELOW_EXPONENT) - _LEAST_EXPONENT
    multipliers = ((bits >> _BITS_THAT_FALL_OFF).astype(np.int32) & _FRACTION) | _LEADING_ONE
    shifts = exponents.astype(np.int32) + _LEAST_SHIFT
    # What is negative, too small or not finite has an exponent outside of this range.
    if np.maximum.reduce(exponents.view(np.uint64), initial=0) > _EXPONENTS:
        one = quantize_multiplier_integer if integer else quantize_multiplier
        for index in np.flatnonzero((exponents < 0) | (exponents > _EXPONENTS)).tolist():
            multipliers[index], shifts[index] = one(float(values[index]))
    return multipliers, shifts


# As arrays, because Python's numbers take NumPy longer than the arithmetic itself.
_HALF_A_STEP, _UNDER_HALF_A_STEP = np.array(1 << 21, np.int64), np.array((1 << 21) - 1, np.int64)
_BITS_BELOW_EXPONENT, _BITS_THAT_FALL_OFF = np.array(52, np.int64), np.array(22, np.int64)
_FRACTION, _LEADING_ONE = np.array(0x3FFFFFFF, np.int32), np.array(0x40000000, np.int32)
# The biased exponents with a shift of -31 and more, and how many follow up to the last finite one.
_LEAST_SHIFT, _LEAST_EXPONENT = np.array(-31, np.int32), np.array(991, np.int64)
_EXPONENTS = 1055


def wrap_int32(x: Array) -> Int64Array:
    """Wrap int64 values to the int32 range, as two's complement C code does."""
    return x.astype(np.int32).astype(np.int64)


def saturating_rounding_doubling_high_mul(a: npt.ArrayLike, b: npt.ArrayLike) -> Int64Array:
    """Gemmlowp's SRDHM: the high 32 bits of ``2 * a * b``, rounded, saturated.

    Equals ``floor((a * b + 2**30) / 2**31)``; only ``INT32_MIN * INT32_MIN`` saturates.
    """
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    high: Int64Array = np.minimum((product + (1 << 30)) >> 31, INT32_MAX)
    return high


def rounding_divide_by_pot(x: npt.ArrayLike, exponent: npt.ArrayLike) -> Int64Array:
    """Divide by ``2**exponent``, rounding halves away from zero (gemmlowp)."""
    x = np.asarray(x, np.int64)
    exponent = np.asarray(exponent, np.int64)
    mask = (np.int64(1) << exponent) - 1
    threshold = (mask >> 1) + (x < 0)
    divided: Int64Array = (x >> exponent) + ((x & mask) > threshold)
    return divided


def rounds_once(shift: npt.ArrayLike) -> bool:
    """Whether shifts, which all agree, ask for one rounding."""
    flat = np.asarray(shift).reshape(-1)
    return bool(flat.size and flat[0] >= ONCE // 2)


def bare_shift(shift: npt.ArrayLike) -> Int64Array:
    """Shifts without :data:`ONCE` and :data:`NARROW`."""
    return np.asarray(shift, np.int64).astype(np.int8).astype(np.int64)


def bits_lost(shift: npt.ArrayLike) -> Int64Array:
    """The bits of a 64-bit product's 32 that shifts leave out: 1 with :data:`NARROW`, else 0."""
    lost: Int64Array = np.asarray(shift, np.int64) + NARROW // 4 >> 9 & 1
    return lost


def multiply_by_quantized_multiplier(
    x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike
) -> Int64Array:
    """Scale int32 accumulators by ``multiplier * 2**(shift - 31)``, rounding twice.

    TFLM's ``MultiplyByQuantizedMultiplier(int32_t)``: a positive shift is applied
    first and wraps at 32 bits, then SRDHM, then the rounding right shift. Where ``shift``
    carries :data:`ONCE`, halves of the exact product go up, once; the result wraps.
    """
    shift = np.asarray(shift, np.int64)
    if rounds_once(shift):
        total = 31 - bare_shift(shift)
        product = np.asarray(x, np.int64) * np.asarray(multiplier, np.int64)
        return wrap_int32((product + (np.int64(1) << (total - 1))) >> total)
    left = np.maximum(shift, 0)
    shifted = wrap_int32(np.asarray(x, np.int64) << left)
    return rounding_divide_by_pot(
        saturating_rounding_doubling_high_mul(shifted, multiplier), np.maximum(-shift, 0)
    )


def multiply_by_quantized_multiplier_int64(
    x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike
) -> Int64Array:
    """Scale int64 accumulators with a multiplier reduced to 16 bits, rounding once.

    TFLM's ``MultiplyByQuantizedMultiplier(int64_t)``, used for int16 activations.
    ``x`` must lie in ``[-2**47, 2**47)`` and ``shift`` in ``[-31, 8)``; the result
    wraps to int32. Where ``shift`` carries :data:`NARROW` it wraps to 31 bits: CMSIS-NN's
    ``arm_nn_requantize_s64`` keeps 32 of twice the result.
    """
    multiplier = np.asarray(multiplier, np.int64)
    reduced = np.where(multiplier < 0x7FFF0000, (multiplier + (1 << 15)) >> 16, 0x7FFF)
    total = 15 - bare_shift(shift)
    product = np.asarray(x, np.int64) * reduced + (np.int64(1) << (total - 1))
    lost = bits_lost(shift)
    return wrap_int32(product >> total << lost) >> lost


def requantize(x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike) -> Int64Array:
    """CMSIS-NN's ``arm_nn_requantize``: left shift, doubling high multiply, right shift.

    The same three steps as :func:`multiply_by_quantized_multiplier`, but the doubling
    high multiply does not saturate (``arm_nn_doubling_high_mult_no_sat``). With one rounding
    the two are equal.
    """
    shift = np.asarray(shift, np.int64)
    if rounds_once(shift):
        return multiply_by_quantized_multiplier(x, multiplier, shift)
    left = wrap_int32(np.asarray(x, np.int64) << np.maximum(shift, 0))
    high = wrap_int32((left * np.asarray(multiplier, np.int64) + (1 << 30)) >> 31)
    return rounding_divide_by_pot(high, np.maximum(-shift, 0))
