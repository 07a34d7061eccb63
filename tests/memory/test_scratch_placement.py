"""A plan counts as TFLM completes it: its greedy planner places the scratch buffers."""

import pytest

from arenite.memory.greedy import greedy
from arenite.memory.optimal import optimal_plan
from arenite.memory.problem import Buffer, Problem, Solution
from arenite.memory.scratch_placement import completed, solve_for_firmware
from arenite.memory.validate import validate
from tests.memory.problems import random_problem


def test_scratch_goes_into_the_lowest_gap_whatever_was_planned() -> None:
    problem = Problem((Buffer(16, 0, 2), Buffer(16, 1, 3), Buffer(8, 1, 2)))
    plan = Solution((24, 8, 0), 40)
    assert completed(problem, plan, {2}) == plan
    assert completed(problem, Solution((0, 24, 16), 40), {2}).offsets == (0, 24, 16)
    assert completed(problem, Solution((0, 16, 40), 48), {2}).offsets == (0, 16, 32)


def test_without_scratch_the_plan_is_what_it_was() -> None:
    problem = Problem((Buffer(16, 0, 2), Buffer(16, 1, 3)))
    assert completed(problem, Solution((4, 20), 36), ()) == Solution((4, 20), 36)


def test_two_scratch_buffers_that_would_take_each_others_room_lie_side_by_side() -> None:
    # The larger scratch goes first, into the gap of 6 below the tensor; the other one then needs
    # room above. Planned as one of 10 they find theirs.
    tensor, large, small = Buffer(8, 0, 1), Buffer(5, 0, 1), Buffer(4, 0, 1)
    problem = Problem((tensor, large, small))

    def planner(asked: Problem) -> Solution:
        if len(asked.buffers) == 3:
            return Solution((5, 13, 0), 18)
        return Solution((0, 8), 17)

    assert completed(problem, planner(problem), {1, 2}).size == 17
    found = solve_for_firmware(problem, planner, {1, 2})
    validate(problem, found)
    assert found.size == 17


@pytest.mark.parametrize("seed", range(30))
def test_it_is_legal_and_never_worse_than_greedy(seed: int) -> None:
    problem = random_problem(seed, 12, moments=5, longest=3, largest=9, alignment=16)
    scratch = {n for n, b in enumerate(problem.buffers) if b.end == b.begin + 1}
    found = solve_for_firmware(problem, optimal_plan, scratch)
    validate(problem, found)
    assert found.size <= greedy(problem).size
    assert completed(problem, found, scratch).size <= found.size
