"""The search in C: the same answers as by trying everything, and what it leaves to Python."""

from random import Random

import pytest

from arenite import native
from arenite.memory.conflicts import rivals_of
from arenite.memory.deadline import OutOfNodesError, Watch
from arenite.memory.optimal import optimal
from arenite.memory.packing import PackingSearch, packing_search, sections_of
from arenite.memory.problem import Buffer, Problem, Separation, Solution
from arenite.memory.validate import validate
from tests.memory.problems import least_height, random_problem

needs_engine = pytest.mark.skipif(not native.available(), reason="the engine was not built")


def search_of(problem: Problem, seconds: float = 60) -> PackingSearch | None:
    members = range(len(problem.buffers))
    return packing_search(rivals_of(problem, 10**6), members, Watch(seconds))


@needs_engine
@pytest.mark.parametrize("seed", range(200))
def test_what_fits_fits_and_a_byte_less_does_not(seed: int) -> None:
    count = 3 + seed % 4
    problem = random_problem(
        seed, count, moments=5, longest=3, largest=4, separated=0.1 * (seed % 3)
    )
    least, search = least_height(problem), search_of(problem)
    if search is None:  # separations in a circle
        assert seed % 3
        return
    offsets = search.fits(least, 10**5)
    assert offsets is not None
    validate(problem, Solution(tuple(offsets[n] for n in range(count)), least))
    assert search.fits(least - 1, 10**5) is None


@needs_engine
@pytest.mark.parametrize("seed", range(6))
def test_hundreds_of_buffers_without_a_gap_are_solved(seed: int) -> None:
    problem = without_gaps(seed, 200)
    found = optimal(problem, seconds=60)
    validate(problem, found.solution)
    assert found.is_proved
    assert found.solution.size == 1 << 16


def without_gaps(seed: int, count: int) -> Problem:
    """A rectangle of memory and time, cut into so many buffers: it can be filled again."""
    draw, pieces = Random(seed), [(0, 1 << 16, 0, 4096)]
    while len(pieces) < count:
        low, high, begin, end = pieces.pop(draw.randrange(len(pieces)))
        if draw.random() < 0.5 and high - low > 64:
            middle = draw.randrange(low + 32, high - 31)
            pieces += [(low, middle, begin, end), (middle, high, begin, end)]
        elif end - begin > 2:
            middle = draw.randrange(begin + 1, end)
            pieces += [(low, high, begin, middle), (low, high, middle, end)]
        else:
            pieces.append((low, high, begin, end))
    draw.shuffle(pieces)
    return Problem(tuple(Buffer(high - low, begin, end) for low, high, begin, end in pieces))


@needs_engine
def test_it_gives_up_after_so_many_nodes_and_when_the_time_is_up() -> None:
    problem = without_gaps(0, 200)
    for seconds, nodes in ((60, 10), (-1, 10**9)):
        search = search_of(problem, seconds)
        assert search is not None
        with pytest.raises(OutOfNodesError):
            search.fits(1 << 16, nodes)


@pytest.mark.parametrize(
    "problem",
    [
        Problem((Buffer(16, 0, 2, 16), Buffer(16, 1, 3, 16, 0))),
        Problem((Buffer(8, 0, 2, 16), Buffer(8, 1, 3, 8))),
        Problem((Buffer(1 << 40, 0, 2), Buffer(1, 1, 3))),
        Problem((Buffer(5, 0, 2),) * 3, tuple(Separation(n, (n + 1) % 3, 0) for n in range(3))),
    ],
    ids=[
        "an offline place",
        "alignments beyond the sizes",
        "sizes beyond its reach",
        "three of one offset, each the lower one of the next",
    ],
)
def test_what_c_does_not_take_is_left_to_python(problem: Problem) -> None:
    assert search_of(problem) is None
    found = optimal(problem)
    validate(problem, found.solution)
    assert found.is_proved


def test_without_the_engine_python_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(1, 25, moments=20, longest=6, largest=40)
    expected = optimal(problem)
    monkeypatch.setattr(native, "available", lambda: False)
    assert search_of(problem) is None
    found = optimal(problem)
    assert found.is_proved
    assert found.solution.size == expected.solution.size


def test_sections_are_the_largest_sets_alive_together() -> None:
    # The second lives within the first alone, the last begins where another ends.
    sections, spans = sections_of([(0, 9), (1, 2), (3, 5), (4, 8), (5, 6)])
    assert [sorted(section) for section in sections] == [[0, 1], [0, 2, 3], [0, 3, 4]]
    assert spans == [range(3), range(1), range(1, 2), range(1, 3), range(2, 3)]
