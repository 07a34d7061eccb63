"""RESIZE of U85 in NumPy: an element out of the two by two around its place, or the nearest.

Facts: Vela 5.2.0 regor ``tflite_graph_optimiser.cpp`` (``ConvertResize``): fractions, offsets and
the output's scale. Inferred from agreement with TFLite: sums have 16 bits below them, which the
output's scale takes off again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.npu.operations import Resize

Int64 = npt.NDArray[np.int64]
#: Bits below sums.
_BELOW = 16


def resized(op: Resize, x: Int64) -> Int64:
    """Sums before the output's scale: times the parts of both axes, where they are between."""
    height, width, _ = op.result.map.shape
    rows, columns = _places(op, 0, height), _places(op, 1, width)
    if op.mode == "nearest":
        y, z = (_nearest(places, op.parts[axis]) for axis, places in enumerate((rows, columns)))
        return _at(x, y, z) << _BELOW
    total = np.zeros(op.result.map.shape, np.int64)
    for y, of_row in _sides(rows, op.parts[0]):
        for z, of_column in _sides(columns, op.parts[1]):
            total += _at(x, y, z) * (of_row[:, None] * of_column)[..., None]
    return total << _BELOW


def _places(op: Resize, axis: int, count: int) -> Int64:
    """Where outputs lie, in parts of an element."""
    return np.arange(count) * op.step[axis] + op.offset[axis]


def _nearest(places: Int64, parts: int) -> Int64:
    """Halves go up."""
    return (2 * places + parts) // (2 * parts)


def _sides(places: Int64, parts: int) -> tuple[tuple[Int64, Int64], tuple[Int64, Int64]]:
    """The elements before and behind, and how much of each."""
    first, rest = places // parts, places % parts
    return (first, parts - rest), (first + 1, rest)


def _at(x: Int64, rows: Int64, columns: Int64) -> Int64:
    """Elements; beyond the border those of the border."""
    y, z = (np.clip(one, 0, n - 1) for one, n in zip((rows, columns), x.shape[:2], strict=True))
    found: Int64 = x[np.ix_(y, z)]
    return found
