"""What was seen of values adds up, whoever saw which part."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.quantize.ranges import METHODS, least_error, percentile
from arenite.quantize.seen import seen

values = st.lists(
    st.floats(-(2.0**60), 2.0**60, width=32, allow_subnormal=False), min_size=1, max_size=20
)


def array(numbers):
    return np.array(numbers, np.float32)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(a=values, b=values)
def test_parts_add_up_to_the_same_ends_and_counts(a, b):
    whole, parts = seen(array([*a, *b])), seen(array(a)) + seen(array(b))
    assert (parts.low, parts.high, parts.count) == (whole.low, whole.high, whole.count)
    assert parts.exponent == whole.exponent
    assert parts.bins.sum() == len(a) + len(b)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(a=values, b=values)
def test_the_order_of_parts_does_not_matter(a, b):
    one, other = seen(array(a)) + seen(array(b)), seen(array(b)) + seen(array(a))
    assert np.array_equal(one.bins, other.bins)


def test_bins_that_become_wider_keep_the_values_that_were_in_them():
    found = seen(array([0.6, -0.6])) + seen(array([100.0]))
    edges = found.edges
    for value in (0.6, -0.6, 100.0):
        place = np.searchsorted(edges, value, side="right") - 1
        assert found.bins[place] == 1


def test_percentiles_leave_out_the_outermost_values():
    found = seen(array([*np.linspace(0, 1, 9999), 1000.0]))
    low, high = percentile(found, 0.999)
    assert low == 0
    assert 0.9 < high < 2


def test_the_range_of_least_error_does_not_reach_to_a_lone_outlier():
    rng = np.random.default_rng(0)
    found = seen(array([*rng.normal(0, 1, 200_000), 30.0]))
    assert least_error(found)[1] < 25


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_stay_within_what_was_seen(method):
    found = seen(np.random.default_rng(1).normal(3, 1, 1000).astype(np.float32))
    low, high = METHODS[method](found)
    assert min(found.low, 0) <= low <= high <= found.high


@settings(max_examples=50, deadline=None, derandomize=True)
@given(a=values)
def test_a_coarse_histogram_has_every_value_between_its_ends(a):
    found = seen(array(a))
    begin, end, counts = found.coarse(8)
    assert sum(counts) == found.count
    assert 1 <= len(counts) <= 8
    rounding = found.edges[1] - found.edges[0]  # a value at an edge may count as its neighbour
    assert begin - rounding <= found.low <= found.high <= end + rounding


def test_parts_of_a_coarse_histogram_are_equal_pieces_of_the_fine_one():
    begin, end, counts = seen(array([0.0, 0.25, 0.5, 0.75])).coarse(4)
    assert (begin, counts) == (0.0, [1, 1, 1, 1])
    assert 0.75 < end <= 1.0
