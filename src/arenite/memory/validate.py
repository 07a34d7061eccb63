"""An independent check of memory plans; runs after every planner."""

from __future__ import annotations

import numpy as np

from arenite.errors import PlanError
from arenite.memory.problem import Buffer, Problem, Solution

#: Pairs of buffers that are compared at once.
_PAIRS = 1 << 18


def validate(problem: Problem, solution: Solution) -> None:
    """Check that every buffer has a legal place of its own while it is alive.

    Buffers whose places were both fixed offline may overlap: TFLM leaves that to the author
    of the offline plan, who may know more than lifetimes say.

    Raises:
        PlanError: Offsets are missing, out of range or misaligned, an offline offset is
            not kept, or two buffers overlap in time and memory.
    """
    if len(solution.offsets) != len(problem.buffers):
        raise PlanError(f"expected {len(problem.buffers)} offsets, got {len(solution.offsets)}")
    for index, (buffer, offset) in enumerate(zip(problem.buffers, solution.offsets, strict=True)):
        _check_place(index, buffer, offset, solution.size)
    _check_overlaps(problem, solution)


def _check_place(index: int, buffer: Buffer, offset: int, size: int) -> None:
    if buffer.offline_offset is not None and offset != buffer.offline_offset:
        raise PlanError(
            f"buffer {index}: expected its offline offset {buffer.offline_offset}, got {offset}"
        )
    if offset < 0 or offset + buffer.size > size:
        raise PlanError(
            f"buffer {index}: bytes {offset} to {offset + buffer.size} are outside of {size}"
        )
    if buffer.offline_offset is None and offset % buffer.alignment:
        raise PlanError(f"buffer {index}: offset {offset} is not a multiple of {buffer.alignment}")


def _check_overlaps(problem: Problem, solution: Solution) -> None:
    start = np.array(solution.offsets, np.int64)
    stop = start + np.array([buffer.size for buffer in problem.buffers], np.int64)
    begin = np.array([buffer.begin for buffer in problem.buffers], np.int64)
    end = np.array([buffer.end for buffer in problem.buffers], np.int64)
    online = np.array([buffer.offline_offset is None for buffer in problem.buffers], np.bool_)
    filled = stop > start
    numbers = np.arange(len(start))
    rows = max(1, _PAIRS // max(len(start), 1))
    for first in range(0, len(start), rows):
        one, later = np.s_[first : first + rows, None], np.s_[first:]
        found = np.argwhere(
            (begin[later] < end[one])
            & (begin[one] < end[later])
            & (start[later] < stop[one])
            & (start[one] < stop[later])
            & (filled[later] & filled[one])
            & (online[later] | online[one])
            & (numbers[one] < numbers[later])
        )
        if len(found):
            i, j = (found[0] + first).tolist()
            raise PlanError(
                f"buffers {i} and {j} overlap: bytes {start[i]} to {stop[i]} and {start[j]} to "
                f"{stop[j]}, alive from {begin[i]} to {end[i]} and {begin[j]} to {end[j]}"
            )
