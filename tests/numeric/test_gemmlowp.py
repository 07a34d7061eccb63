"""Gemmlowp's fixed-point functions approximate what they are named after."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.numeric import gemmlowp
from arenite.numeric.fixedpoint import INT32_MAX, INT32_MIN, rounding_divide_by_pot

ONE = 2.0**31
raw = st.integers(INT32_MIN, INT32_MAX)
magnitudes = st.integers(0, INT32_MAX)


def real(value: np.ndarray, integer_bits: int = 0) -> float:
    return float(value) / 2.0 ** (31 - integer_bits)


@given(raw, raw)
def test_rounding_half_sum_rounds_halves_away_from_zero(a, b):
    exact = (a + b) / 2
    expected = math.floor(abs(exact) + 0.5) * (1 if exact >= 0 else -1)
    assert gemmlowp.rounding_half_sum(a, b) == expected


@given(raw, st.integers(0, 31))
def test_multiplying_by_a_power_of_two_saturates(x, exponent):
    expected = max(INT32_MIN, min(INT32_MAX, x << exponent))
    assert gemmlowp.saturating_multiply_by_pot(x, exponent) == expected


@given(raw, st.integers(0, 12), st.integers(0, 12))
def test_rescale_keeps_the_number_or_saturates(x, bits, new_bits):
    value = real(np.int64(x), bits)
    expected = max(-(2.0**new_bits), min(2.0**new_bits, value))
    got = real(gemmlowp.rescale(x, bits, new_bits), new_bits)
    assert abs(got - expected) <= 2.0 ** (new_bits - 31)


def test_rescale_to_more_integer_bits_rounds_like_the_rounding_shift():
    assert gemmlowp.rescale(-6, 0, 2) == rounding_divide_by_pot(-6, 2) == -2


@given(st.integers(0, 5), magnitudes)
def test_exp_of_negative_values(integer_bits, x):
    expected = math.exp(-real(np.int64(x), integer_bits))
    got = real(gemmlowp.exp_on_negative_values(-x, integer_bits))
    assert got == pytest.approx(expected, abs=5e-7)


def test_exp_of_zero_is_the_largest_raw_value():
    assert gemmlowp.exp_on_negative_values(0, 5) == INT32_MAX


@given(magnitudes)
def test_one_over_one_plus_x(x):
    expected = 1 / (1 + real(np.int64(x)))
    assert real(gemmlowp.one_over_one_plus_x(x)) == pytest.approx(expected, abs=1e-7)


@given(magnitudes)
def test_one_minus_x_over_one_plus_x(x):
    value = real(np.int64(x))
    expected = (1 - value) / (1 + value)
    assert real(gemmlowp.one_minus_x_over_one_plus_x(x)) == pytest.approx(expected, abs=1e-7)


@given(raw.filter(lambda x: x > INT32_MIN))
def test_logistic(x):
    expected = 1 / (1 + math.exp(-real(np.int64(x), 4)))
    assert real(gemmlowp.logistic(x, 4)) == pytest.approx(expected, abs=5e-7)


@given(raw.filter(lambda x: x > INT32_MIN))
def test_tanh(x):
    expected = math.tanh(real(np.int64(x), 4))
    assert real(gemmlowp.tanh(x, 4)) == pytest.approx(expected, abs=4e-7)


def test_logistic_and_tanh_at_zero():
    assert gemmlowp.logistic(0, 4) == 1 << 30
    assert gemmlowp.tanh(0, 4) == 0


@given(st.integers(0, 2**32 - 1))
def test_count_leading_zeros_counts_in_32_bits(x):
    signed = np.int64(x).astype(np.int32)
    assert gemmlowp.count_leading_zeros(signed) == 32 - x.bit_length()


@given(raw)
def test_count_leading_sign_bits_leaves_the_sign_bit_out(x):
    expected = 31 - (x if x >= 0 else ~x).bit_length()
    assert gemmlowp.count_leading_sign_bits(x) == expected


@given(st.integers(1, INT32_MAX), st.integers(0, 31))
def test_reciprocal(x, integer_bits):
    fraction, bits = gemmlowp.reciprocal(x, integer_bits)
    got = real(fraction) * 2.0 ** -float(bits)
    assert got == pytest.approx(1 / real(np.int64(x), integer_bits), rel=3e-7)


@given(st.integers(1 << 19, INT32_MAX))
def test_log_of_at_least_one(x):
    expected = math.log(real(np.int64(x), 12))
    assert real(gemmlowp.log(x, 12, 5), 5) == pytest.approx(expected, abs=2e-6)


def test_functions_work_elementwise():
    x = np.array([[-5, 0], [7, 1 << 30]])
    got = gemmlowp.logistic(x, 4)
    assert got.shape == x.shape
    assert got[1, 1] == gemmlowp.logistic(1 << 30, 4)
