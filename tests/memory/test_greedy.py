"""The greedy planner gives TFLM's offsets, ties and offline offsets included."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite import native
from arenite.memory.greedy import greedy, in_python
from arenite.memory.problem import Buffer, Problem, Solution
from arenite.memory.validate import validate

is_there = native.available()


def inclusive(size: int, first: int, last: int, offline: int | None = None) -> Buffer:
    return Buffer(size, first, last + 1, offline_offset=offline)


def test_the_worked_example_takes_150_bytes() -> None:
    problem = Problem((inclusive(100, 0, 1), inclusive(80, 2, 3), inclusive(50, 1, 2)))
    assert greedy(problem) == Solution((0, 0, 100), 150)


def test_nothing_to_plan_takes_nothing() -> None:
    assert greedy(Problem(())) == Solution((), 0)


def test_of_equal_sizes_the_last_buffer_is_placed_first() -> None:
    problem = Problem((inclusive(10, 0, 1), inclusive(10, 0, 1), inclusive(10, 0, 1)))
    assert greedy(problem).offsets == (20, 10, 0)


def test_a_small_buffer_fills_the_first_gap_that_fits() -> None:
    a, b = inclusive(10, 0, 9), inclusive(10, 0, 9, offline=20)
    assert greedy(Problem((a, b))).offsets == (0, 20)
    assert greedy(Problem((inclusive(11, 0, 9), b))).offsets == (0, 20)
    assert greedy(Problem((inclusive(21, 0, 9), b))).offsets == (30, 20)


def test_buffers_that_never_meet_share_memory() -> None:
    assert greedy(Problem((inclusive(8, 0, 0), inclusive(8, 1, 1)))).size == 8


def test_lifetimes_are_half_open() -> None:
    assert greedy(Problem((Buffer(8, 0, 1), Buffer(8, 1, 2)))).size == 8
    assert greedy(Problem((Buffer(8, 0, 2), Buffer(8, 1, 2)))).size == 16


def test_an_offline_offset_is_kept_even_where_another_offline_buffer_lies() -> None:
    problem = Problem((inclusive(48, 0, 3, 0), inclusive(48, 0, 3, 0), inclusive(48, 0, 3)))
    assert greedy(problem).offsets == (0, 0, 48)


def test_sizes_are_rounded_up_to_the_alignment() -> None:
    buffers = (Buffer(17, 0, 1, alignment=16), Buffer(1, 0, 1, alignment=16))
    assert greedy(Problem(buffers)) == Solution((0, 32), 48)


def restated(problem: Problem) -> Solution:
    """TFLM's algorithm told as its source tells it: sort, then walk the placed buffers."""
    ids = [i for i, b in enumerate(problem.buffers) if b.offline_offset is not None]
    rest = [i for i, b in enumerate(problem.buffers) if b.offline_offset is None][::-1]
    for end in range(len(rest), 0, -1):  # a stable bubble sort, as there
        for i in range(1, end):
            if problem.buffers[rest[i - 1]].size < problem.buffers[rest[i]].size:
                rest[i - 1], rest[i] = rest[i], rest[i - 1]
    placed: list[tuple[int, Buffer]] = []
    offsets = {}
    for i in ids + rest:
        wanted = problem.buffers[i]
        candidate = 0
        if wanted.offline_offset is not None:
            candidate = wanted.offline_offset
        else:
            for offset, other in placed:
                if other.begin >= wanted.end or wanted.begin >= other.end:
                    continue
                if offset - candidate >= wanted.size:
                    break
                candidate = max(candidate, offset + other.size)
        offsets[i] = candidate
        at = next((n for n, (o, _) in enumerate(placed) if o > candidate), len(placed))
        placed.insert(at, (candidate, wanted))
    size = max((offset + other.size for offset, other in placed), default=0)
    return Solution(tuple(offsets[i] for i in range(len(problem.buffers))), size)


lifetimes = st.tuples(st.integers(-1, 12), st.integers(1, 6))
online = st.builds(
    lambda size, life: Buffer(size * 16, life[0], life[0] + life[1], 16),
    st.integers(0, 12),
    lifetimes,
)
offline = st.builds(
    lambda size, life, at: Buffer(size * 16, life[0], life[0] + life[1], 16, at * 16),
    st.integers(1, 12),
    lifetimes,
    st.integers(0, 40),
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(online | online | offline, max_size=14))
def test_equals_a_simple_restatement(buffers: list[Buffer]) -> None:
    problem = Problem(tuple(buffers))
    assert greedy(problem) == in_python(problem.buffers) == restated(problem)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_built", [False, True])
def test_many_buffers_equal_the_restatement_too(
    seed: int, is_built: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "available", lambda: is_built and is_there)
    draw = Random(seed)
    buffers = []
    for _ in range(300):
        begin, size = draw.randrange(200), draw.randrange(40) * 16
        end = begin + 1 + draw.choice((0, 1, 5, draw.randrange(200)))
        place = draw.randrange(300) * 16 if draw.random() < 0.1 and size else None
        buffers.append(Buffer(size, begin, end, 16, place))
    problem = Problem(tuple(buffers))
    assert greedy(problem) == in_python(problem.buffers) == restated(problem)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda size, life, power, at: Buffer(size, life[0], life[0] + life[1], 1 << power, at),
            st.integers(0, 99),
            lifetimes,
            st.integers(0, 6),
            st.none() | st.none() | st.integers(0, 300),
        ),
        max_size=14,
    )
)
def test_every_plan_is_valid(buffers: list[Buffer]) -> None:
    problem = Problem(tuple(buffers))
    validate(problem, greedy(problem))
