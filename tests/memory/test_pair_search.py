"""The search over pairs finds a plan below a height, or proves that there is none."""

import pytest

from arenite.memory.conflicts import rivals_of
from arenite.memory.deadline import OutOfNodesError, Watch
from arenite.memory.pair_search import PairSearch
from arenite.memory.problem import Buffer, Problem, Solution
from arenite.memory.validate import validate
from tests.memory.problems import least_height, random_problem


def search_of(problem: Problem, seconds: float = 60) -> PairSearch:
    return PairSearch(rivals_of(problem, 10**6), range(len(problem.buffers)), Watch(seconds))


@pytest.mark.parametrize("seed", range(40))
def test_what_fits_fits_and_a_byte_less_does_not(seed: int) -> None:
    problem = random_problem(seed, 5, moments=4, longest=3, largest=4, separated=0.1 * (seed % 3))
    least, search = least_height(problem), search_of(problem)
    offsets = search.fits(least, 10**4)
    assert offsets is not None
    validate(problem, Solution(tuple(offsets[n] for n in range(5)), least))
    assert search.fits(least - 1, 10**4) is None


def test_equal_buffers_need_one_order_only() -> None:
    # 12 times 5 into 59: every order of them would be tried otherwise.
    search = search_of(Problem(tuple(Buffer(5, 0, 2) for _ in range(12))))
    assert search.fits(59, 100) is None


def test_it_gives_up_after_so_many_nodes() -> None:
    problem = random_problem(0, 25, moments=20, longest=6, largest=40)
    with pytest.raises(OutOfNodesError):
        search_of(problem).fits(156, 10)


def test_it_gives_up_when_the_time_is_up() -> None:
    problem = random_problem(0, 25, moments=20, longest=6, largest=40)
    with pytest.raises(OutOfNodesError):
        search_of(problem, seconds=-1).fits(156, 10**9)


def test_an_offline_place_beyond_the_height_does_not_fit() -> None:
    assert search_of(Problem((Buffer(5, 0, 2, 1, 8),))).fits(12, 9) is None
    assert search_of(Problem((Buffer(5, 0, 2, 1, 8),))).fits(13, 9) == {0: 8}
