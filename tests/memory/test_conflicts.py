"""Pairs of buffers that are alive together, with their distances in either order."""

import pytest

from arenite.memory.conflicts import Pair, TooManyPairsError, height_of, parts_of, rivals_of
from arenite.memory.problem import Buffer, Problem, Separation


def test_pairs_are_those_with_a_moment_in_common() -> None:
    problem = Problem((Buffer(5, 0, 2), Buffer(7, 1, 3), Buffer(9, 2, 4)))
    assert sorted(rivals_of(problem, 9).pairs) == [Pair(0, 1, 5, 7), Pair(1, 2, 7, 9)]


def test_empty_buffers_and_two_offline_ones_are_no_pairs() -> None:
    fixed = Buffer(5, 0, 2, 1, 0)
    problem = Problem((fixed, fixed, Buffer(0, 0, 2), Buffer(3, 1, 1)))
    assert rivals_of(problem, 9).pairs == ()


def test_separations_count_in_their_order() -> None:
    problem = Problem((Buffer(5, 0, 2), Buffer(7, 1, 3)), (Separation(1, 0, 2),))
    assert rivals_of(problem, 9).pairs == (Pair(0, 1, 5, 2),)


def test_a_separation_larger_than_the_buffer_says_nothing() -> None:
    problem = Problem((Buffer(5, 0, 2), Buffer(7, 1, 3)), (Separation(1, 0, 20),))
    assert rivals_of(problem, 9).pairs == (Pair(0, 1, 5, 7),)


def test_the_step_divides_all_that_offsets_are_made_of() -> None:
    buffers = (Buffer(48, 0, 2, 16), Buffer(96, 1, 3, 16))
    assert rivals_of(Problem(buffers), 9).step == 48
    assert rivals_of(Problem(buffers, (Separation(0, 1, 30),)), 9).step == 16
    assert rivals_of(Problem((*buffers, Buffer(16, 0, 9, 1, 8))), 9).step == 8
    assert rivals_of(Problem((Buffer(48, 0, 2, 1), Buffer(96, 1, 3, 1))), 9).step == 48


def test_too_many_pairs_are_refused() -> None:
    problem = Problem(tuple(Buffer(1, 0, 1) for _ in range(5)))
    assert len(rivals_of(problem, 10).pairs) == 10
    with pytest.raises(TooManyPairsError):
        rivals_of(problem, 9)


def test_parts_do_not_meet() -> None:
    problem = Problem((Buffer(5, 0, 2), Buffer(9, 2, 4), Buffer(7, 1, 2), Buffer(1, 3, 4)))
    assert sorted(map(sorted, parts_of(rivals_of(problem, 9)))) == [[0, 2], [1, 3]]


def test_the_height_is_the_highest_end() -> None:
    rivals = rivals_of(Problem((Buffer(5, 0, 2, 16), Buffer(9, 2, 4))), 9)
    assert height_of(rivals, [0, 3]) == 16
