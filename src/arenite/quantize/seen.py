"""Observations of one tensor's values: their ends and a histogram, which can be added up.

The histogram reaches from ``-2**exponent`` to ``2**exponent`` in equal bins. Where values go
beyond, the exponent rises and neighbouring bins become one. So parts of the data can be seen in
any order, by any number of workers, and their sum is the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arenite.model.model import Array

#: Bins of a histogram, from end to end.
BINS = 4096
#: Below this, values are no different from 0.
_LEAST_EXPONENT = -100


@dataclass(frozen=True, eq=False)
class Seen:
    """Values of a tensor.

    Attributes:
        count: How many.
        low: The least one.
        high: The largest one.
        exponent: The histogram reaches from ``-2**exponent`` to ``2**exponent``.
        bins: ``(BINS,)`` int64, how many values are in each bin.
    """

    count: int
    low: float
    high: float
    exponent: int
    bins: Array

    def __add__(self, other: Seen) -> Seen:
        exponent = max(self.exponent, other.exponent)
        return Seen(
            self.count + other.count,
            min(self.low, other.low),
            max(self.high, other.high),
            exponent,
            _widened(self, exponent) + _widened(other, exponent),
        )

    @property
    def edges(self) -> Array:
        """``(BINS + 1,)`` where bins begin and end."""
        return np.linspace(-1.0, 1.0, BINS + 1) * 2.0**self.exponent

    def coarse(self, most: int) -> tuple[float, float, list[int]]:
        """Where values begin and end, and how many are in each of at most ``most`` equal parts."""
        there = np.flatnonzero(self.bins)
        first, last = int(there[0]), int(there[-1]) + 1
        factor = -(-(last - first) // most)
        parts = -(-(last - first) // factor)
        counts = np.zeros(parts * factor, np.int64)
        counts[: last - first] = self.bins[first:last]
        width = 2.0 ** (self.exponent + 1) / BINS
        begin = (first - BINS // 2) * width
        end = begin + parts * factor * width
        return begin, end, counts.reshape(parts, factor).sum(axis=1).tolist()


def seen(values: Array) -> Seen:
    """Observations of some finite values, at least one."""
    flat = values.reshape(-1)
    low, high = float(flat.min()), float(flat.max())
    largest = max(-low, high)
    exponent = math.frexp(largest)[1] if largest else _LEAST_EXPONENT
    exponent = max(exponent, _LEAST_EXPONENT)
    step = np.float32(BINS / 2 / 2.0**exponent)
    places = (flat * step + np.float32(BINS / 2)).astype(np.int32)
    np.clip(places, 0, BINS - 1, out=places)
    return Seen(flat.size, low, high, exponent, np.bincount(places, minlength=BINS))


def _widened(one: Seen, exponent: int) -> Array:
    """The bins of a histogram that reaches further."""
    bins, steps = one.bins, exponent - one.exponent
    if not steps:
        return bins
    factor = min(1 << min(steps, 20), BINS // 2)
    # The middle stays the middle: both halves shrink towards it.
    small = bins.reshape(-1, factor).sum(axis=1)
    wide = np.zeros(BINS, bins.dtype)
    begin = (BINS - len(small)) // 2
    wide[begin : begin + len(small)] = small
    return wide
