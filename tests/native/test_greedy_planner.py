"""The greedy planner in C gives the same places as the one in Python."""

from random import Random
from typing import Any

import pytest

from arenite.memory import greedy as module
from arenite.memory.greedy import greedy
from arenite.memory.problem import Buffer, Problem, Solution

pytest.importorskip("arenite.native._engine")

greedy_places = pytest.importorskip("arenite.native.greedy_planner").greedy_places


def in_python(buffers: list[Buffer]) -> Solution:
    return module.in_python(tuple(buffers))


def some(draw: Random, count: int, longest: int, *, offline: float = 0.0) -> list[Buffer]:
    """Buffers of random sizes and places, alive for up to ``longest`` moments."""
    buffers = []
    for _ in range(count):
        begin, size = draw.randrange(count), draw.randrange(90) * 16
        end = begin + 1 + draw.randrange(longest)
        place = draw.randrange(count) * 16 if size and draw.random() < offline else None
        buffers.append(Buffer(size, begin, end, 16, place))
    return buffers


@pytest.mark.parametrize("offline", [0.0, 0.1])
@pytest.mark.parametrize("longest", [1, 4, 60, 1500])
@pytest.mark.parametrize("count", [1, 7, 40, 200, 1500])
def test_random_lifetimes(count: int, longest: int, offline: float) -> None:
    buffers = some(Random(count + longest), count, longest, offline=offline)
    assert greedy(Problem(tuple(buffers))) == in_python(buffers)


@pytest.mark.parametrize("seed", range(20))
def test_short_and_long_lifetimes_together(seed: int) -> None:
    draw = Random(seed)
    count = draw.randrange(200, 700)
    buffers = some(draw, count, 3) + some(draw, count, count, offline=0.02)
    draw.shuffle(buffers)
    assert greedy(Problem(tuple(buffers))) == in_python(buffers)


def test_all_alive_until_the_end() -> None:
    draw = Random(0)
    buffers = [Buffer(draw.randrange(1, 400), begin, 1000, 16) for begin in range(1000)]
    assert greedy(Problem(tuple(buffers))) == in_python(buffers)


def lives(shape: str, count: int, draw: Random) -> list[tuple[int, int]]:
    """Lifetimes of a kind that a planner may find hard."""
    spans = {
        "until the end": [(n, count + 1) for n in range(count)],
        "from the beginning": [(0, n + 1) for n in range(count)],
        "nested": [(n, 2 * count - n) for n in range(count)],
        "few moments": [(b := draw.randrange(9), b + 1 + draw.randrange(9)) for _ in range(count)],
        "one moment": [(3, 4)] * count,
        "far apart": [
            (b := draw.randrange(-(10**9), 10**9), b + 1 + draw.randrange(10**8))
            for _ in range(count)
        ],
    }
    return spans[shape]


@pytest.mark.parametrize("sizes", [1, 3, 4000])
@pytest.mark.parametrize(
    "shape",
    ["until the end", "from the beginning", "nested", "few moments", "one moment", "far apart"],
)
def test_lifetimes_that_lie_in_special_ways(shape: str, sizes: int) -> None:
    draw = Random(sizes)
    buffers = [
        Buffer(16 * draw.randrange(sizes + 1), *life, 16) for life in lives(shape, 1200, draw)
    ]
    assert greedy(Problem(tuple(buffers))) == in_python(buffers)


def test_thousands_of_fixed_places_come_first() -> None:
    draw = Random(3)
    fixed = some(draw, 1000, 300, offline=1.0)
    buffers = fixed + some(draw, 200, 1000)
    draw.shuffle(buffers)
    assert greedy(Problem(tuple(buffers))) == in_python(buffers)


@pytest.mark.parametrize(
    "odd",
    [
        Buffer(40, 3, 3, 16),
        Buffer(0, 3, 9, 16, 64),
        Buffer(16, 3, 9, 8),
        Buffer(16, 3, 2**40, 16),
        Buffer(16, -(2**40), 3, 16),
        Buffer(2**60, 3, 9, 16),
        Buffer(16, 3, 9, 16, 2**60),
    ],
    ids=str,
)
def test_what_c_does_not_take_is_left_to_python(odd: Buffer) -> None:
    buffers = [*some(Random(0), 300, 9), odd]
    assert greedy_places(tuple(buffers)) is None
    assert greedy(Problem(tuple(buffers))) == in_python(buffers)


def test_sizes_are_rounded_up_to_the_alignment() -> None:
    buffers = [Buffer(5, 0, 2, 4), Buffer(7, 1, 3, 4), Buffer(3, 2, 4, 4)]
    assert greedy_places(tuple(buffers)) == ((8, 0, 8), 16)


@pytest.mark.parametrize("odd", [(16, 0, 1, 16), "buffer", (16.5, 0, 1, 16, None), None], ids=str)
def test_what_is_no_buffer_is_left_to_python(odd: Any) -> None:
    assert greedy_places((Buffer(16, 0, 1, 16), odd)) is None


def test_no_buffers_at_all_are_left_to_python() -> None:
    assert greedy_places(()) is None
    assert greedy(Problem(())) == Solution((), 0)
