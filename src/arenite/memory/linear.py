"""TFLM's linear planner: one buffer behind the other, so every tensor keeps its value.

Facts: TFLM ``memory_planner/linear_memory_planner.cc``.
"""

from __future__ import annotations

from arenite.errors import PlanError
from arenite.memory.abi import align_up
from arenite.memory.problem import Problem, Solution

MAX_BUFFER_COUNT = 1024


def linear(problem: Problem) -> Solution:
    """Lay buffers out in order, none sharing memory with another.

    Raises:
        PlanError: There are more buffers than TFLM's planner takes, or one has an offline
            offset, which that planner refuses.
    """
    count = len(problem.buffers)
    if count > MAX_BUFFER_COUNT:
        raise PlanError(
            f"the linear planner takes {MAX_BUFFER_COUNT} buffers, the model has {count}; "
            "use the greedy planner"
        )
    offsets, end = [], 0
    for index, buffer in enumerate(problem.buffers):
        if buffer.offline_offset is not None:
            raise PlanError(
                f"the linear planner takes no offline offsets, buffer {index} has "
                f"{buffer.offline_offset}; use the greedy planner"
            )
        offset = align_up(end, buffer.alignment)
        offsets.append(offset)
        end = offset + align_up(buffer.size, buffer.alignment)
    return Solution(tuple(offsets), end)
