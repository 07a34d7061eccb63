"""Where chains are cut."""

from itertools import product

import numpy as np
import pytest

from arenite.firmware.streaming.cuts import GRAIN, Segment, cheapest

LAYERS = 4


def segments(seed: int) -> list[Segment]:
    rng = np.random.default_rng(seed)
    spans = [(first, end) for first in range(LAYERS) for end in range(first + 1, LAYERS + 1)]
    return [
        Segment(first, end, *(int(n) for n in rng.integers(1, 40, 2)), GRAIN * int(rng.integers(4)))
        for first, end in spans
        for _ in range(2)
    ]


def ways(some: list[Segment], begin: int = 0) -> list[list[Segment]]:
    """All ways through all layers."""
    if begin == LAYERS:
        return [[]]
    return [[one, *rest] for one in some if one.first == begin for rest in ways(some, one.end)]


@pytest.mark.parametrize("seed", range(8))
def test_no_other_way_that_fits_costs_less(seed):
    some = segments(seed)
    every = ways(some)
    for ram, flash in product((15, 25, 40), (None, 2, 6)):
        fits = [
            sum(one.cost for one in way)
            for way in every
            if max(one.bytes for one in way) <= ram
            and (flash is None or sum(one.constants for one in way) <= flash * GRAIN)
        ]
        found = cheapest(some, LAYERS, ram, None if flash is None else flash * GRAIN)
        assert (found is None) == (not fits)
        if found is not None:
            assert found in every
            assert sum(one.cost for one in found) == min(fits)
