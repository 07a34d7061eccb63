"""Random planning problems."""

from __future__ import annotations

from random import Random

from arenite.memory.problem import Buffer, Problem, Separation


def random_problem(
    seed: int,
    count: int,
    *,
    moments: int,
    longest: int,
    largest: int,
    alignment: int = 1,
    separated: float = 0.0,
    offline: float = 0.0,
) -> Problem:
    """``count`` buffers; of pairs that are alive together a share of ``separated`` may overlap."""
    draw = Random(seed)
    buffers = []
    for _ in range(count):
        begin = draw.randrange(moments)
        size = alignment * draw.randrange(1, largest + 1)
        place = alignment * draw.randrange(largest) if draw.random() < offline else None
        buffers.append(Buffer(size, begin, begin + 1 + draw.randrange(longest), alignment, place))
    separations = [
        Separation(one, two, draw.randrange(a.size + 1))
        for one, a in enumerate(buffers)
        for two, b in enumerate(buffers)
        if one != two and max(a.begin, b.begin) < min(a.end, b.end)
        if draw.random() < separated
    ]
    return Problem(tuple(buffers), tuple(separations))
