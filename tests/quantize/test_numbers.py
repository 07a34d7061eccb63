"""Scales, zero points and integers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.model import TensorType
from arenite.model.types import INT4, INT8, INT16
from arenite.ops.kernel_util import unpack_int4
from arenite.quantize.numbers import (
    affine,
    along,
    bias_of,
    packed_int4,
    quantized,
    roomy,
    single,
    symmetric,
)

law = settings(max_examples=100, deadline=None, derandomize=True)
ends = st.floats(-1e6, 1e6, width=32)


@law
@given(a=ends, b=ends)
def test_zero_is_exact_and_both_ends_are_within_a_step(a, b):
    low, high = min(a, b), max(a, b)
    found = affine(low, high, INT8)
    scale, zero = float(found.scale[0]), int(found.zero_point[0])
    assert -128 <= zero <= 127
    if max(high, 0) - min(low, 0) > 1e-12:
        assert scale * (-128 - zero) <= low + scale
        assert scale * (127 - zero) >= high - scale


def test_a_range_from_0_has_the_lowest_zero_point():
    found = affine(0.0, 2.55, INT8)
    assert (found.scale[0], found.zero_point[0]) == (np.float32(0.01), -128)


def test_int16_is_symmetric():
    found = affine(-1.0, 3.2767, INT16)
    assert found.zero_point[0] == 0
    assert found.scale[0] == pytest.approx(3.2767 / 32767)


def test_nothing_but_zeros_has_a_scale_that_can_be_divided_by():
    assert affine(0.0, 0.0, INT8).scale[0] == 1


def test_weights_have_a_scale_per_slice_and_end_at_127():
    weights = np.array([[1.0, -2.0], [0.5, 0.25]], np.float32)
    found = symmetric(weights, 0, INT8)
    assert quantized(weights, found, INT8).tolist() == [[64, -127], [127, 64]]


def test_a_slice_of_zeros_has_the_scale_of_the_largest():
    found = symmetric(np.array([[0.0], [12.7]], np.float32), 0, INT8)
    assert found.scale[0] == found.scale[1]


def test_int4_weights_give_up_outliers_for_all_others():
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 1, (1, 1000))
    plain = np.abs(weights).max() / 7
    assert symmetric(weights, 0, INT4).scale[0] < 0.9 * plain


@law
@given(st.lists(st.integers(-7, 7), min_size=1, max_size=9))
def test_packed_int4_is_what_tflm_unpacks(numbers):
    values = np.array(numbers, np.int8)
    packed = packed_int4(values)
    assert packed.size == (len(numbers) + 1) // 2
    assert unpack_int4(packed.view(np.int8), len(numbers)).tolist() == numbers


def test_a_bias_has_the_product_of_the_scales():
    raw, found = bias_of(np.array([1.0]), 0.5, single(0.25), TensorType.INT32)
    assert raw.tolist() == [8]
    assert found.scale[0] == 0.125


def test_weights_leave_room_for_a_bias_that_int32_would_not_hold():
    weights, bias = single(1e-6), np.array([100.0])
    wider = roomy(weights, bias, 1e-6, TensorType.INT32)
    raw, _ = bias_of(bias, 1e-6, wider, TensorType.INT32)
    assert 2**29 < raw[0] <= 2**30


def test_scales_multiply_along_their_axis():
    found = symmetric(np.ones((2, 3, 4)) * np.arange(1, 4).reshape(1, 3, 1), 1, INT8)
    assert along(found, 3).shape == (1, 3, 1)
