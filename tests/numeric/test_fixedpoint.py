"""Fixed-point arithmetic against restatements of the definitions in exact integers."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from arenite.numeric import fixedpoint as fp

INT32 = st.integers(-(2**31), 2**31 - 1)
MULTIPLIERS = st.integers(2**30, 2**31 - 1) | st.just(0)
#: Every finite double, as often by value as by bit pattern.
FINITE = st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 2**64 - 1).map(
    lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]
).filter(math.isfinite)


# -- the definitions, in exact integers --------------------------------------------------


def wrap(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


def truncating_divide(a: int, b: int) -> int:
    quotient = abs(a) // b
    return quotient if a >= 0 else -quotient


def high_mul(a: int, b: int) -> int:
    """Gemmlowp: add a nudge with the product's sign, divide by 2**31 towards zero."""
    if a == b == -(2**31):
        return 2**31 - 1
    nudge = 2**30 if a * b >= 0 else 1 - 2**30
    return truncating_divide(a * b + nudge, 2**31)


def divide_by_pot(x: int, exponent: int) -> int:
    """The nearest integer to ``x / 2**exponent``, halves away from zero."""
    magnitude = (abs(x) * 2 + 2**exponent) // (2 * 2**exponent)
    return magnitude if x >= 0 else -magnitude


def rounded_twice(x: int, multiplier: int, shift: int) -> int:
    left = wrap(x * 2 ** max(shift, 0))
    return divide_by_pot(high_mul(left, multiplier), max(-shift, 0))


def rounded_once(x: int, multiplier: int, shift: int) -> int:
    reduced = 0x7FFF if multiplier >= 0x7FFF0000 else (multiplier + 2**15) // 2**16
    return wrap((x * reduced + 2 ** (14 - shift)) // 2 ** (15 - shift))


# -- quantize_multiplier -----------------------------------------------------------------

ROUTES = pytest.mark.parametrize(
    "route", [fp.quantize_multiplier, fp.quantize_multiplier_integer], ids=["frexp", "bits"]
)


def is_tie(real: float) -> bool:
    """Whether the fraction lies exactly between two values of Q0.31."""
    return struct.unpack("<Q", struct.pack("<d", real))[0] & (2**22 - 1) == 2**21


@ROUTES
@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (0.035, (1202590843, -4)),
        (1.0, (2**30, 1)),
        (0.5, (2**30, 0)),
        (0.25, (2**30, -1)),
        (3.0, (3 * 2**29, 2)),
        (-1.5, (-3 * 2**29, 1)),
        (0.0, (0, 0)),
        (-0.0, (0, 0)),
    ],
)
def test_multiplier_and_shift_of_known_values(route, real, expected):
    assert route(real) == expected


@ROUTES
def test_a_fraction_that_rounds_up_to_one_becomes_a_half_with_the_next_shift(route):
    assert route(1.0 - 2**-40) == (2**30, 1)


@ROUTES
def test_a_negative_fraction_that_rounds_to_minus_one_stays(route):
    # TFLM tests for +2**31 only; -2**31 fits an int32.
    assert route(-(1.0 - 2**-40)) == (-(2**31), 0)


@ROUTES
def test_the_smallest_multiplier_that_is_kept_is_two_to_the_minus_32(route):
    assert route(2.0**-32) == (2**30, -31)
    assert route(2.0**-32 * (1 - 2**-20)) == (0, 0)


@ROUTES
def test_what_rounds_up_to_two_to_the_minus_32_is_kept(route):
    assert route(math.nextafter(2.0**-32, 0)) == (2**30, -31)


@ROUTES
@pytest.mark.parametrize("real", [5e-324, -5e-324, 2.2e-308, 2.2250738585072014e-308, 1e-300])
def test_subnormal_and_tiny_multipliers_are_flushed_to_zero(route, real):
    assert route(real) == (0, 0)


@ROUTES
def test_the_largest_double_is_two_to_the_1024(route):
    assert route(1.7976931348623157e308) == (2**30, 1025)


@ROUTES
@pytest.mark.parametrize("real", [math.inf, -math.inf, math.nan])
def test_infinity_and_nan_are_refused_with_the_value(route, real):
    with pytest.raises(ValueError, match=f"must be finite, got {real}"):
        route(real)


@given(real=FINITE)
@example(real=0.035)
@example(real=2.0**-32)
def test_both_routes_agree_except_on_exact_ties(real):
    assume(not is_tie(real))
    assert fp.quantize_multiplier_integer(real) == fp.quantize_multiplier(real)


@given(fraction=st.integers(2**30, 2**31 - 1), shift=st.integers(-31, 1000), sign=st.booleans())
def test_on_an_exact_tie_frexp_rounds_away_from_zero_and_bits_towards_it(fraction, shift, sign):
    real = math.ldexp(2 * fraction + 1, shift - 32) * (-1 if sign else 1)
    assert is_tie(real)
    towards, away = fraction, fraction + 1
    if away == 2**31 and not sign:
        away, shift_away = 2**30, shift + 1
    else:
        shift_away = shift
    factor = -1 if sign else 1
    assert fp.quantize_multiplier_integer(real) == (factor * towards, shift)
    assert fp.quantize_multiplier(real) == (factor * away, shift_away)


@given(real=st.floats(2.0**-32, 2.0**60))
def test_multiplier_and_shift_are_within_half_a_unit_of_the_real_number(real):
    multiplier, shift = fp.quantize_multiplier(real)
    assert 2**30 <= multiplier < 2**31
    error = Fraction(multiplier) * Fraction(2) ** (shift - 31) - Fraction(real)
    assert abs(error) <= Fraction(2) ** (shift - 31) / 2


def test_multipliers_are_int32():
    multipliers, shifts = fp.quantize_multipliers([0.035, 0.0, 1.0])
    assert multipliers.dtype == shifts.dtype == np.int32
    assert multipliers.tolist() == [1202590843, 0, 2**30]
    assert shifts.tolist() == [-4, 0, 1]


@given(reals=st.lists(FINITE | st.integers(2**30, 2**31).map(lambda n: (n - 0.5) * 2.0**-40)))
@example(reals=[1 - 2.0**-53, -(1 - 2.0**-53), 2.0**-32, 2.0**-33, -(2.0**-40)])
def test_an_array_of_multipliers_is_quantised_element_by_element(reals):
    multipliers, shifts = fp.quantize_multipliers(reals)
    pairs = list(zip(multipliers.tolist(), shifts.tolist(), strict=True))
    assert pairs == [fp.quantize_multiplier(real) for real in reals]


@pytest.mark.parametrize("real", [math.nan, math.inf, -math.inf])
def test_arrays_with_numbers_that_are_not_finite_are_refused(real):
    with pytest.raises(ValueError, match=f"must be finite, got {real}"):
        fp.quantize_multipliers([0.5, real])


def test_no_multipliers_give_empty_arrays():
    multipliers, shifts = fp.quantize_multipliers([])
    assert multipliers.shape == shifts.shape == (0,)


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (0.0, (0, 0)),
        (-0.0, (0, 0)),
        (math.nan, (0, 2**31 - 1)),
        (math.inf, (2**63 - 1, 2**31 - 1)),
        (-math.inf, (-(2**63), 2**31 - 1)),
        (1.0, (2**30, 1)),
        (-123.0, (-(123 * 2**24), 7)),
    ],
)
def test_integer_frexp_of_special_values(real, expected):
    assert fp.integer_frexp(real) == expected


def test_integer_frexp_takes_a_nan_with_low_bits_only_for_infinity_as_tflm_does():
    nan = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000001))[0]
    assert fp.integer_frexp(nan) == (2**63 - 1, 2**31 - 1)


@given(real=FINITE.filter(lambda x: abs(x) >= 2.2250738585072014e-308))
def test_integer_frexp_is_frexp_to_within_one_unit(real):
    fraction, shift = fp.integer_frexp(real)
    exact, exponent = math.frexp(real)
    assert shift == exponent
    assert abs(Fraction(fraction) - Fraction(exact) * 2**31) <= Fraction(1, 2)


# -- rounding ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "expected"), [(0.5, 1), (-0.5, -1), (2.5, 3), (0.49999999999999994, 0), (-1.2, -1)]
)
def test_halves_round_away_from_zero(x, expected):
    assert fp.round_half_away(x) == expected


@given(x=INT32, exponent=st.integers(0, 31))
@example(x=-1, exponent=1)
@example(x=1, exponent=1)
@example(x=-(2**31), exponent=31)
def test_rounding_divide_by_pot_is_the_nearest_integer_halves_away_from_zero(x, exponent):
    assert int(fp.rounding_divide_by_pot(x, exponent)) == divide_by_pot(x, exponent)


@given(a=INT32, b=INT32)
@example(a=-(2**31), b=-(2**31))
@example(a=-(2**31), b=2**31 - 1)
@example(a=-1, b=2**30)
@example(a=1, b=2**30)
@example(a=-3, b=2**30)
def test_high_mul_rounds_and_saturates_as_gemmlowp_defines(a, b):
    assert int(fp.saturating_rounding_doubling_high_mul(a, b)) == high_mul(a, b)


@given(x=INT32, multiplier=MULTIPLIERS, shift=st.integers(-31, 30))
@example(x=2**31 - 1, multiplier=2**31 - 1, shift=0)
@example(x=-(2**31), multiplier=2**31 - 1, shift=-31)
@example(x=2**30, multiplier=2**30, shift=1)
def test_an_int32_accumulator_is_rounded_twice(x, multiplier, shift):
    got = fp.multiply_by_quantized_multiplier(x, multiplier, shift)
    assert int(got) == rounded_twice(x, multiplier, shift)


def test_double_rounding_shows():
    # 3 * 0.5 = 1.5 -> 2, and 2 * 0.25 = 0.5 -> 1; at once it would be 3 * 0.125 -> 0.
    assert int(fp.multiply_by_quantized_multiplier(3, 2**30, -2)) == 1


@given(x=INT32, multiplier=MULTIPLIERS, shift=st.integers(-31, 30))
@example(x=2**31 - 1, multiplier=2**31 - 1, shift=-31)
def test_with_once_the_exact_product_is_rounded_once_halves_up(x, multiplier, shift):
    exact = x * multiplier + (1 << (30 - shift)) >> (31 - shift)
    got = fp.multiply_by_quantized_multiplier(x, multiplier, shift + fp.ONCE)
    assert int(got) == (exact + 2**31) % 2**32 - 2**31
    assert int(fp.requantize(x, multiplier, shift + fp.ONCE)) == int(got)


def test_one_rounding_shows():
    # 3 * 0.125 at once, see above.
    assert int(fp.multiply_by_quantized_multiplier(3, 2**30, -2 + fp.ONCE)) == 0


def test_a_shift_says_how_often_its_product_is_rounded():
    shifts = np.array([-31, 0, 30])
    assert not fp.rounds_once(shifts)
    assert fp.rounds_once(shifts + fp.ONCE)
    assert fp.bare_shift(shifts + fp.ONCE).tolist() == shifts.tolist()


def test_a_left_shift_wraps_at_32_bits():
    assert int(fp.multiply_by_quantized_multiplier(2**30, 2**30, 1)) == -(2**30)


@given(x=INT32, multiplier=MULTIPLIERS, shift=st.integers(-31, 30))
@example(x=-(2**31), multiplier=2**31 - 1, shift=0)
def test_requantize_of_cmsis_nn_equals_tflm_for_multipliers_that_are_not_negative(
    x, multiplier, shift
):
    assert int(fp.requantize(x, multiplier, shift)) == rounded_twice(x, multiplier, shift)


def test_requantize_of_cmsis_nn_does_not_saturate():
    extreme = -(2**31)
    assert int(fp.requantize(extreme, extreme, 0)) == extreme
    assert int(fp.multiply_by_quantized_multiplier(extreme, extreme, 0)) == 2**31 - 1


@given(
    x=st.integers(-(2**47), 2**47 - 1),
    multiplier=MULTIPLIERS | st.integers(0x7FFE0000, 2**31 - 1),
    shift=st.integers(-31, 7),
)
@example(x=-(2**47), multiplier=2**31 - 1, shift=7)
@example(x=2**47 - 1, multiplier=0x7FFEFFFF, shift=-31)
def test_an_int64_accumulator_is_rounded_once_with_a_16_bit_multiplier(x, multiplier, shift):
    got = fp.multiply_by_quantized_multiplier_int64(x, multiplier, shift)
    assert int(got) == rounded_once(x, multiplier, shift)


@given(x=st.integers(-(2**40), 2**40))
def test_wrapping_to_int32_is_two_s_complement(x):
    assert int(fp.wrap_int32(np.array(x))) == wrap(x)


# -- arrays ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [fp.multiply_by_quantized_multiplier, fp.multiply_by_quantized_multiplier_int64, fp.requantize],
)
def test_multipliers_per_channel_broadcast_along_the_last_axis(function):
    rng = np.random.default_rng(1)
    x = rng.integers(-(2**20), 2**20, (4, 3))
    multipliers, shifts = rng.integers(2**30, 2**31, 3), np.array([-7, 0, 2])
    got = function(x, multipliers, shifts)
    assert got.dtype == np.int64
    one_by_one = [
        [int(function(x[i, c], multipliers[c], shifts[c])) for c in range(3)] for i in range(4)
    ]
    assert got.tolist() == one_by_one


def test_int32_arguments_do_not_overflow_inside():
    x = np.array([2**31 - 1, -(2**31)], np.int32)
    multiplier = np.array(2**31 - 1, np.int32)
    got = fp.multiply_by_quantized_multiplier(x, multiplier, np.int32(0))
    assert got.tolist() == [rounded_twice(int(v), 2**31 - 1, 0) for v in x]
