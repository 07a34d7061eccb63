"""From what was seen of a tensor to the range that its integers stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from arenite.model.model import Array
from arenite.quantize.plan import Range
from arenite.quantize.seen import Seen

#: Shares of a range that are tried at either end.
_SHARES = np.linspace(0.3, 1.0, 36)
#: Steps between the integers of a type.
_STEPS = 255


def minmax(one: Seen) -> Range:
    """All that was seen."""
    return one.low, one.high


def percentile(one: Seen, share: float) -> Range:
    """Range without the outer ``1 - share`` of the values, half at either end."""
    counts = np.cumsum(one.bins)
    outer = (1.0 - share) / 2 * one.count
    edges = one.edges
    low = float(edges[np.searchsorted(counts, outer, side="right")])
    high = float(edges[np.searchsorted(counts, one.count - outer, side="left") + 1])
    return max(one.low, low), min(one.high, high)


def least_error(one: Seen) -> Range:
    """The range with the least mean squared error of int8 values, clipped ones included."""
    edges = one.edges
    there = one.bins > 0
    weights = one.bins[there].astype(np.float64)
    centres = ((edges[:-1] + edges[1:]) / 2)[there]
    low, high = min(one.low, 0.0), max(one.high, 0.0)
    best, found = np.inf, (one.low, one.high)
    for share in _SHARES[::-1]:
        ends = (low * share, high * share)
        error = _error(centres, weights, *ends)
        if error < best:
            best, found = error, ends
    for share in _SHARES[::-1]:  # one end alone, from there
        for ends in ((found[0] * share, found[1]), (found[0], found[1] * share)):
            error = _error(centres, weights, *ends)
            if error < best:
                best, found = error, ends
    return found


def _error(values: Array, weights: Array, low: float, high: float) -> float:
    """The squared error of values in a histogram, rounding taken as uniform noise."""
    step = (high - low) / _STEPS
    beyond = np.maximum(values - high, 0) + np.maximum(low - values, 0)
    return float(((beyond**2) * weights).sum() + weights.sum() * step**2 / 12)


METHODS: Mapping[str, Callable[[Seen], Range]] = {
    "minmax": minmax,
    "percentile-99.99": lambda one: percentile(one, 0.9999),
    "percentile-99.9": lambda one: percentile(one, 0.999),
    "mse": least_error,
}


def ranges_of(seen: Mapping[int, Seen], method: str) -> dict[int, Range]:
    """The ranges of all tensors by one of :data:`METHODS`."""
    return {index: METHODS[method](one) for index, one in seen.items()}
