"""Gemmlowp's fixed-point functions: exp, logistic, tanh, reciprocal, roots and logarithm.

A number with ``b`` integer bits is the int32 ``raw`` that stands for
``raw * 2**(b - 31)``. All functions work elementwise on raw values held in int64
arrays and give TensorFlow Lite Micro's bits.

Sources of the facts: gemmlowp ``fixedpoint/fixedpoint.h`` and TensorFlow Lite Micro
``kernels/internal/common.h``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.numeric.fixedpoint import (
    INT32_MAX,
    INT32_MIN,
    Int64Array,
    rounding_divide_by_pot,
    wrap_int32,
)
from arenite.numeric.fixedpoint import saturating_rounding_doubling_high_mul as multiply

_EXP_MINUS_EIGHTH = 1895147668  # exp(-1/8), no integer bits
_THIRD = 715827883
#: exp(-2**e) for e = -2 .. 4, no integer bits.
_EXP_MINUS_POT = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_48_OVER_17 = 1515870810  # two integer bits
_MINUS_32_OVER_17 = -1010580540
_ONE_F2 = 1 << 29  # 1 with two integer bits

_THREE_HALVES_F3 = 3 << 27  # 3/2 with three integer bits

_LOG_2 = 1488522236
_SQRT_HALF = 1518500250
_SQRT_SQRT_HALF = 1805811301
_QUARTER = 1 << 29
_ALPHA_N = 117049297  # 11/240 * 2**(1/4)
_ALPHA_D = 127690142  # 1/20 * 2**(1/4)
_ALPHA_I = 1057819769  # 2 / 2**(1/4) - 2**(1/4)
_ALPHA_F = 638450708  # 1/4 * 2**(1/4)


def rounding_half_sum(a: npt.ArrayLike, b: npt.ArrayLike) -> Int64Array:
    """``(a + b) / 2``, halves away from zero."""
    total = np.asarray(a, np.int64) + np.asarray(b, np.int64)
    half: Int64Array = (total + (total >= 0)) >> 1
    return half


def saturating_multiply_by_pot(x: npt.ArrayLike, exponent: npt.ArrayLike) -> Int64Array:
    """``x * 2**exponent`` for ``exponent >= 0``, saturated to int32."""
    shifted: Int64Array = np.asarray(x, np.int64) << np.asarray(exponent, np.int64)
    return np.clip(shifted, INT32_MIN, INT32_MAX)


def rescale(x: npt.ArrayLike, integer_bits: int, new_integer_bits: int) -> Int64Array:
    """The same number with other integer bits: saturated if fewer, rounded if more."""
    exponent = integer_bits - new_integer_bits
    if exponent >= 0:
        return saturating_multiply_by_pot(x, exponent)
    return rounding_divide_by_pot(x, -exponent)


def exp_on_negative_values(x: npt.ArrayLike, integer_bits: int) -> Int64Array:
    """``exp(x)`` for ``x <= 0`` with at most five integer bits; none in the result."""
    x = np.asarray(x, np.int64)
    fractional_bits = 31 - integer_bits
    quarter = 1 << (fractional_bits - 2)
    # x = -remainder + within, where within lies in [-1/4, 0) and the remainder is a sum
    # of the powers of two whose exponentials are known.
    within = (x & (quarter - 1)) - quarter
    remainder = within - x
    result = _exp_on_last_quarter(rescale(within, integer_bits, 0))
    for bit, factor in zip(range(-2, integer_bits), _EXP_MINUS_POT, strict=False):
        is_set = remainder & (1 << (fractional_bits + bit))
        result = np.where(is_set, multiply(result, factor), result)
    return np.where(x == 0, INT32_MAX, result)


def _exp_on_last_quarter(x: Int64Array) -> Int64Array:
    """``exp(x)`` for x in ``[-1/4, 0)``: a Taylor series about -1/8."""
    x = x + (1 << 28)
    x2 = multiply(x, x)
    x3 = multiply(x2, x)
    quarter_x4 = rounding_divide_by_pot(multiply(x2, x2), 2)
    higher = rounding_divide_by_pot(multiply(quarter_x4 + x3, _THIRD) + x2, 1)
    series: Int64Array = _EXP_MINUS_EIGHTH + multiply(_EXP_MINUS_EIGHTH, x + higher)
    return series


def _two_over_one_plus(x: npt.ArrayLike) -> Int64Array:
    """``2 / (1 + x)`` for x in [0, 1): Newton's division, two integer bits."""
    half_denominator = rounding_half_sum(x, INT32_MAX)
    inverse = _48_OVER_17 + multiply(half_denominator, _MINUS_32_OVER_17)
    for _ in range(3):
        error = _ONE_F2 - multiply(half_denominator, inverse)
        inverse = inverse + rescale(multiply(inverse, error), 4, 2)
    return inverse


def one_over_one_plus_x(x: npt.ArrayLike) -> Int64Array:
    """``1 / (1 + x)`` for x in [0, 1), no integer bits."""
    return rescale(_two_over_one_plus(x), 1, 0)


def one_minus_x_over_one_plus_x(x: npt.ArrayLike) -> Int64Array:
    """``(1 - x) / (1 + x)`` for x in [0, 1), no integer bits."""
    return rescale(_two_over_one_plus(x) - _ONE_F2, 2, 0)


def logistic(x: npt.ArrayLike, integer_bits: int) -> Int64Array:
    """``1 / (1 + exp(-x))``, no integer bits in the result."""
    x = np.asarray(x, np.int64)
    positive = one_over_one_plus_x(exp_on_negative_values(-np.abs(x), integer_bits))
    result = np.where(x > 0, positive, INT32_MAX - positive)
    return np.where(x == 0, 1 << 30, result)


def tanh(x: npt.ArrayLike, integer_bits: int) -> Int64Array:
    """``tanh(x)``, no integer bits in the result."""
    x = np.asarray(x, np.int64)
    exponential = exp_on_negative_values(-np.abs(x), integer_bits + 1)
    magnitude = one_minus_x_over_one_plus_x(exponential)
    return np.where(x == 0, 0, np.where(x < 0, -magnitude, magnitude))


def count_leading_zeros(x: npt.ArrayLike) -> Int64Array:
    """Leading zero bits of int32 values read as uint32; 32 for zero."""
    unsigned = np.asarray(x, np.int64) & 0xFFFFFFFF
    # frexp of a number below 2**32 is exact in float64: its exponent is the bit length.
    length: Int64Array = np.frexp(unsigned.astype(np.float64))[1].astype(np.int64)
    return 32 - length


def count_leading_sign_bits(x: npt.ArrayLike) -> Int64Array:
    """Bits below the sign bit that are equal to it; 31 for zero and minus one."""
    x = np.asarray(x, np.int64)
    return count_leading_zeros(np.where(x < 0, ~x, x)) - 1


def reciprocal(x: npt.ArrayLike, integer_bits: int) -> tuple[Int64Array, Int64Array]:
    """``1 / x`` for ``x > 0`` as ``(raw, bits)``: ``raw`` (no integer bits) / ``2**bits``.

    TFLM's ``GetReciprocal``.
    """
    x = np.asarray(x, np.int64)
    headroom_plus_one = count_leading_zeros(x)
    fraction = wrap_int32((x << headroom_plus_one) - (1 << 31))
    return one_over_one_plus_x(fraction), integer_bits - headroom_plus_one


def inverse_sqrt(x: npt.ArrayLike) -> tuple[Int64Array, Int64Array]:
    """``1 / sqrt(x)`` of an integer as ``(multiplier, shift)``; of less than 1 it is that of 1.

    ``multiplier * 2**(shift - 31)`` by five Newton steps from 1, with three integer bits. TFLM's
    ``GetInvSqrtQuantizedMultiplierExp``.
    """
    x = np.asarray(x, np.int64)
    one, value = x <= 1, np.maximum(x, 2)
    quarters = np.maximum((4 - count_leading_zeros(value)) // 2, 0)
    value = value >> 2 * quarters
    doublings = (count_leading_zeros(value) - 1) // 2 - 1
    value = value << 2 * doublings >> 1
    half = rounding_divide_by_pot(value, 1)
    root = np.full_like(value, 1 << 28)
    for _ in range(5):
        cube = rescale(multiply(multiply(root, root), root), 9, 3)
        root = rescale(wrap_int32(multiply(_THREE_HALVES_F3, root) - multiply(half, cube)), 6, 3)
    root = multiply(root, _SQRT_HALF)
    right = 11 + quarters - doublings
    root = root << np.maximum(-right, 0)
    return np.where(one, INT32_MAX, root), np.where(one, 0, -np.maximum(right, 0))


def log(x: npt.ArrayLike, integer_bits: int, new_integer_bits: int) -> Int64Array:
    """``log(x)`` for ``x >= 1``; the result has ``new_integer_bits``.

    TFLM's ``log_x_for_x_greater_than_or_equal_to_1``.
    """
    x = np.asarray(x, np.int64)
    wide_bits = new_integer_bits + 1
    quarter = rescale(_QUARTER, 0, wide_bits)
    # x = r * 2**power with r around 2**(-1/4), in two ways of which one is in range.
    headroom = count_leading_zeros(x) - 1
    r_a = saturating_multiply_by_pot(x, headroom)
    r_a = saturating_multiply_by_pot(multiply(r_a, _SQRT_HALF), 1)
    power_a = _power(integer_bits - headroom - 1, wide_bits) + quarter
    headroom_b = count_leading_zeros(multiply(x, _SQRT_HALF)) - 1
    r_b = saturating_multiply_by_pot(x, headroom_b)
    power_b = _power(integer_bits - headroom_b, wide_bits) - quarter
    r = np.minimum(r_a, r_b)
    power = np.clip(np.maximum(power_a, power_b), INT32_MIN, INT32_MAX)

    p = rounding_half_sum(r, _SQRT_SQRT_HALF)
    q = (r - _SQRT_SQRT_HALF) * 2
    q2 = multiply(q, q)
    numerator = multiply(q, r) + multiply(multiply(q, q2), _ALPHA_N)
    denominator_minus_one = multiply(p, _ALPHA_I + q + multiply(_ALPHA_D, q2)) + multiply(
        _ALPHA_F, q
    )
    fraction = multiply(
        rescale(numerator, 0, wide_bits), one_over_one_plus_x(denominator_minus_one)
    )
    return rescale(multiply(power, _LOG_2) + fraction, wide_bits, new_integer_bits)


def _power(exponent: Int64Array, integer_bits: int) -> Int64Array:
    """The integer ``exponent`` as a fixed-point number."""
    return saturating_multiply_by_pot(exponent, 31 - integer_bits)
