"""Intervals by channel, and what becomes of channels when rows get another length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Tensor, TensorType
from arenite.optimize._intervals import MOST_CHANNELS, Interval, is_followed, of_values, whole_type


def test_of_values_looks_along_the_last_axis():
    low, high = of_values(np.array([[[1, -5], [3, 4]]], np.int8))
    assert (low.tolist(), high.tolist()) == ([1, -5], [3, 4])


def test_a_scalar_is_one_channel():
    low, high = of_values(np.array(7, np.int8))
    assert (low.tolist(), high.tolist()) == ([7], [7])


def test_a_type_s_range_is_whole():
    low, high = whole_type(Tensor("t", TensorType.INT16, (2, 3)))
    assert (low.tolist(), high.tolist()) == ([-32768] * 3, [32767] * 3)


@given(
    channels=st.integers(1, 12),
    width=st.integers(1, 12),
    rows=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
)
def test_values_in_other_rows_are_in_the_spread_interval(channels, width, rows, seed):
    values = np.random.default_rng(seed).integers(-9, 9, rows * width * channels)
    before = of_values(values.reshape(-1, channels))
    low, high = before.spread(width)
    others = values.reshape(-1, width)
    assert (others >= low).all()
    assert (others <= high).all()


def test_rows_of_whole_rows_repeat_the_channels():
    interval = Interval(np.array([1, 2]), np.array([3, 4]))
    low, high = interval.spread(6)
    assert (low.tolist(), high.tolist()) == ([1, 2] * 3, [3, 4] * 3)


@pytest.mark.parametrize(
    ("type_", "shape", "followed"),
    [
        (TensorType.INT8, (1, 4), True),
        (TensorType.INT16, (), True),
        (TensorType.FLOAT32, (1, 4), False),
        (TensorType.INT8, (1, 0), False),
        (TensorType.INT8, (-1, 4), False),
        (TensorType.INT8, (MOST_CHANNELS + 1,), False),
    ],
)
def test_what_is_followed(type_, shape, followed):
    assert is_followed(Tensor("t", type_, shape)) is followed
