"""Random planning problems, and what they take at least, by trying everything."""

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


def least_height(problem: Problem) -> int:
    """Every offset of every buffer, tried."""
    buffers = problem.buffers
    allowed = {(s.lower, s.upper): s.distance for s in problem.separations}

    def are_apart(i: int, j: int, at: int, other: int) -> bool:
        a, b = buffers[i], buffers[j]
        if max(a.begin, b.begin) >= min(a.end, b.end):
            return True
        if a.offline_offset is not None and b.offline_offset is not None:
            return True
        if at <= other and other - at >= allowed.get((i, j), a.size):
            return True
        return other <= at and at - other >= allowed.get((j, i), b.size)

    def place(offsets: tuple[int, ...], height: int) -> bool:
        number = len(offsets)
        if number == len(buffers):
            return True
        fixed = buffers[number].offline_offset
        places = range(height - buffers[number].size + 1) if fixed is None else [fixed]
        return any(
            place((*offsets, at), height)
            for at in places
            if at + buffers[number].size <= height
            if all(are_apart(number, j, at, offsets[j]) for j in range(number))
        )

    return next(height for height in range(1000) if place((), height))
