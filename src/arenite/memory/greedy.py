"""TFLM's greedy planner: large buffers first, each at the lowest offset that is free.

Facts: TFLM ``memory_planner/greedy_memory_planner.cc``. Ties are broken as there, so the
result is equal byte for byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.memory.abi import align_up
from arenite.memory.problem import Problem, Solution

Ints = npt.NDArray[np.int64]


def greedy(problem: Problem) -> Solution:
    """Place buffers by descending size into the first gap among those alive with them.

    Buffers with an offline offset come first and stay where they are.

    >>> from arenite.memory.problem import Buffer
    >>> greedy(Problem((Buffer(100, 0, 2), Buffer(80, 2, 4), Buffer(50, 1, 3))))
    Solution(offsets=(0, 0, 100), size=150)
    """
    placed = _Placed()
    offsets = [0] * len(problem.buffers)
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


class _Placed:
    """Buffers that have their place, ordered by offset, as arrays."""

    def __init__(self) -> None:
        self._offset, self._stop, self._begin, self._end = (np.zeros(0, np.int64) for _ in "1234")

    @property
    def size(self) -> int:
        return int(self._stop.max(initial=0))

    def first_gap(self, size: int, begin: int, end: int, alignment: int) -> int:
        """The lowest offset where ``size`` bytes are free during the whole lifetime."""
        alive = (self._begin < end) & (begin < self._end)
        # A gap opens behind everything below it, so at the running maximum of the ends.
        opens = np.maximum.accumulate(np.append(0, self._stop[alive]))
        opens = -(-opens // alignment) * alignment
        closes = np.append(self._offset[alive], np.iinfo(np.int64).max)
        return int(opens[np.argmax(closes - opens >= size)])

    def insert(self, offset: int, size: int, begin: int, end: int) -> None:
        at = np.searchsorted(self._offset, offset, side="right")

        def into(array: Ints, value: int) -> Any:
            return np.insert(array, at, value)

        self._offset = into(self._offset, offset)
        self._stop = into(self._stop, offset + size)
        self._begin, self._end = into(self._begin, begin), into(self._end, end)
