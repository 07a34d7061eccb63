"""No plan is below the bound, and where plans reach it, it is theirs."""

import pytest

from arenite.memory.lower_bound import lower_bound
from arenite.memory.problem import Buffer, Problem, Separation
from tests.memory.problems import least_height, random_problem


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_below_the_optimum(seed: int) -> None:
    problem = random_problem(seed, 5, moments=3, longest=3, largest=4, separated=0.5)
    assert lower_bound(problem) <= least_height(problem)


def test_of_an_output_on_its_input_the_bound_is_their_stack() -> None:
    problem = Problem((Buffer(100, 0, 2), Buffer(80, 1, 3)), (Separation(1, 0, 8),))
    assert lower_bound(problem) == 108


def test_it_is_the_busiest_moment() -> None:
    problem = Problem((Buffer(5, 0, 2), Buffer(7, 1, 3), Buffer(9, 2, 4)))
    assert lower_bound(problem) == 16


def test_sizes_count_as_they_are_aligned() -> None:
    assert lower_bound(Problem((Buffer(5, 0, 2, 16), Buffer(17, 1, 3, 16)))) == 48


def test_it_contains_what_was_fixed_offline() -> None:
    assert lower_bound(Problem((Buffer(5, 0, 2, 1, 100), Buffer(7, 0, 2)))) == 105


def test_of_two_offline_buffers_on_each_other_only_the_place_counts() -> None:
    assert lower_bound(Problem((Buffer(5, 0, 2, 1, 0), Buffer(5, 0, 2, 1, 0)))) == 5


def test_a_separation_counts_while_both_are_alive() -> None:
    buffers = (Buffer(100, 0, 2), Buffer(80, 1, 3), Buffer(90, 2, 4))
    problem = Problem(buffers, (Separation(1, 0, 8),))
    # At moment 2 the 80 and the 90 lie beside each other.
    assert lower_bound(problem) == 170


def test_many_that_may_lie_on_each_other_have_a_bound_too() -> None:
    count = 9
    buffers = tuple(Buffer(4, 0, 1) for _ in range(count))
    separations = tuple(Separation(i, j, 1) for i in range(count) for j in range(count) if i != j)
    # One byte each but for the highest.
    assert lower_bound(Problem(buffers, separations)) == count - 1 + 4


def test_nothing_takes_nothing() -> None:
    assert lower_bound(Problem(())) == 0
