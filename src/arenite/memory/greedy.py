"""TFLM's greedy planner: large buffers first, each at the lowest offset that is free.

Facts: TFLM ``memory_planner/greedy_memory_planner.cc``. Ties are broken as there, so the
result is equal byte for byte.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

import numpy as np

from arenite.memory.abi import align_up
from arenite.memory.problem import Problem, Solution

#: Up to this many buffers are walked one by one.
FEW = 256


def greedy(problem: Problem) -> Solution:
    """Place buffers by descending size into the first gap among those alive with them.

    Buffers with an offline offset come first and stay where they are.

    >>> from arenite.memory.problem import Buffer
    >>> greedy(Problem((Buffer(100, 0, 2), Buffer(80, 2, 4), Buffer(50, 1, 3))))
    Solution(offsets=(0, 0, 100), size=150)
    """
    count = len(problem.buffers)
    placed = _Few() if count <= FEW else _Many(count)
    offsets = [0] * count
    for index in _order(problem):
        buffer = problem.buffers[index]
        size = align_up(buffer.size, buffer.alignment)
        if buffer.offline_offset is None:
            offset = placed.first_gap(size, buffer.begin, buffer.end, buffer.alignment)
        else:
            offset = buffer.offline_offset
        placed.insert(offset, size, buffer.begin, buffer.end)
        offsets[index] = offset
    return Solution(tuple(offsets), placed.size)


def _order(problem: Problem) -> list[int]:
    """Offline buffers as they come, then by descending size; of equal ones the last first."""
    numbered = list(enumerate(problem.buffers))
    offline = [index for index, buffer in numbered if buffer.offline_offset is not None]
    online = [index for index, buffer in reversed(numbered) if buffer.offline_offset is None]

    def size(index: int) -> int:
        buffer = problem.buffers[index]
        return align_up(buffer.size, buffer.alignment)

    return offline + sorted(online, key=size, reverse=True)


class _Few:
    """Buffers that have their place, ordered by offset.

    A row each: offset, end of the memory, first moment, end of the lifetime.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, int]] = []

    @property
    def size(self) -> int:
        return max((stop for _, stop, _, _ in self._rows), default=0)

    def first_gap(self, size: int, begin: int, end: int, alignment: int) -> int:
        """The lowest offset where ``size`` bytes are free during the whole lifetime."""
        gap = 0
        for offset, stop, first, last in self._rows:
            if first >= end or begin >= last:
                continue
            if offset - gap >= size:
                break
            if stop > gap:
                gap = align_up(stop, alignment)
        return gap

    def insert(self, offset: int, size: int, begin: int, end: int) -> None:
        at = bisect_right(self._rows, offset, key=itemgetter(0))
        self._rows.insert(at, (offset, offset + size, begin, end))


class _Many:
    """The same for so many that a walk over them takes longer than NumPy's calls.

    Rows of one table are as above.
    """

    def __init__(self, capacity: int) -> None:
        self._table = np.zeros((4, capacity), np.int64)
        self._offsets: list[int] = []

    @property
    def size(self) -> int:
        return int(self._table[1].max(initial=0))

    def first_gap(self, size: int, begin: int, end: int, alignment: int) -> int:
        """The lowest offset where ``size`` bytes are free during the whole lifetime."""
        offset, stop, first, last = self._table[:, : len(self._offsets)]
        alive = (first < end) & (begin < last)
        # A gap opens behind everything below it, so at the running maximum of the ends.
        opens = np.maximum.accumulate(stop[alive])
        opens = -(-opens // alignment) * alignment
        below = offset[alive]
        if not len(below) or below[0] >= size:
            return 0
        fits = below[1:] - opens[:-1] >= size
        return int(opens[np.argmax(fits) if fits.any() else -1])

    def insert(self, offset: int, size: int, begin: int, end: int) -> None:
        at, count = bisect_right(self._offsets, offset), len(self._offsets)
        self._offsets.insert(at, offset)
        self._table[:, at + 1 : count + 1] = self._table[:, at:count]
        self._table[:, at] = offset, offset + size, begin, end
