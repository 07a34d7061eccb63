"""A cache of lines: what it has when it is read again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.emulator.caches import LineCache


def test_a_line_is_read_once():
    cache = LineCache(64, 16, 4)
    assert [cache.read(address, 4) for address in (0, 4, 12, 16, 0)] == [1, 0, 0, 1, 0]


def test_a_read_across_a_border_takes_two_lines():
    assert LineCache(64, 16, 4).read(14, 4) == 2


def test_the_line_that_was_used_longest_ago_goes():
    cache = LineCache(32, 16, 2)
    assert [cache.read(address, 1) for address in (0, 16, 0, 32)] == [1, 1, 0, 1]
    assert [cache.read(address, 1) for address in (0, 16)] == [0, 1]


def test_lines_of_a_set_drive_each_other_out():
    direct = LineCache(32, 16, 1)
    assert [direct.read(address, 1) for address in (0, 32, 0, 16, 0)] == [1, 1, 1, 1, 0]


def test_a_cache_is_of_whole_sets():
    with pytest.raises(ValueError, match="whole sets"):
        LineCache(48, 16, 2)


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2**31))
def test_more_ways_never_miss_more(line_bits, way_bits, seed):
    """With as many sets, a larger cache has all that a smaller one has: LRU is a stack."""
    line, ways, sets = 4 << line_bits, 1 << way_bits, 4
    small, large = (LineCache(line * one * sets, line, one) for one in (ways, 2 * ways))
    addresses = np.random.default_rng(seed).integers(0, 4 * line * ways * sets, 200)
    for address in addresses.tolist():
        assert large.read(address, 1) <= small.read(address, 1)
