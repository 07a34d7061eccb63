"""The linear planner never lets two buffers share memory."""

import pytest

from arenite.errors import PlanError
from arenite.memory.linear import MAX_BUFFER_COUNT, linear
from arenite.memory.problem import Buffer, Problem, Solution


def test_one_buffer_follows_the_other() -> None:
    buffers = (Buffer(10, 0, 1, 16), Buffer(20, 5, 6, 16), Buffer(1, 0, 1, 16))
    assert linear(Problem(buffers)) == Solution((0, 16, 48), 64)


def test_nothing_to_plan_takes_nothing() -> None:
    assert linear(Problem(())) == Solution((), 0)


def test_an_offline_offset_is_refused() -> None:
    with pytest.raises(PlanError, match="takes no offline offsets, buffer 1 has 32"):
        linear(Problem((Buffer(1, 0, 1), Buffer(1, 0, 1, offline_offset=32))))


def test_more_buffers_than_tflm_takes_are_refused() -> None:
    assert linear(Problem((Buffer(1, 0, 1),) * MAX_BUFFER_COUNT)).size == MAX_BUFFER_COUNT
    with pytest.raises(PlanError, match="takes 1024 buffers, the model has 1025"):
        linear(Problem((Buffer(1, 0, 1),) * (MAX_BUFFER_COUNT + 1)))
