"""A planning problem as pairs of buffers that are alive together.

What the searches for the best plan work on: sizes and distances rounded up as the alignments
demand, offline offsets, and for every pair how far apart the two have to begin, in either order.
Empty buffers and pairs that were both fixed offline are nobody's rivals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from math import gcd
from typing import NamedTuple

from arenite.memory.abi import align_up
from arenite.memory.problem import Problem


class Pair(NamedTuple):
    """Two buffers that are alive together.

    Attributes:
        one: Number of a buffer.
        two: Number of another one.
        up: Bytes from the beginning of ``one`` to that of ``two``, at least, if ``one`` is lower.
        down: Bytes from ``two`` to ``one``, at least, if ``two`` is lower.
    """

    one: int
    two: int
    up: int
    down: int


class Rivals(NamedTuple):
    """Buffers, by their numbers in the problem, and the pairs that are alive together.

    Attributes:
        sizes: Bytes, multiples of the buffer's alignment.
        fixed: Offline offsets, or None.
        alignments: What offsets are multiples of.
        lifetimes: First moments, and the first ones behind.
        pairs: Everything that keeps buffers apart.
        step: All offsets that a search finds, and all heights, are multiples of this.
    """

    sizes: tuple[int, ...]
    fixed: tuple[int | None, ...]
    alignments: tuple[int, ...]
    lifetimes: tuple[tuple[int, int], ...]
    pairs: tuple[Pair, ...]
    step: int


class TooManyPairsError(Exception):
    """A problem has more pairs than a search takes."""


def rivals_of(problem: Problem, most: int) -> Rivals:
    """The pairs of a problem.

    Raises:
        TooManyPairsError: There are more than ``most``.
    """
    buffers = problem.buffers
    sizes = tuple(align_up(b.size, b.alignment) for b in buffers)
    alignments = tuple(b.alignment for b in buffers)
    distances = least_distances(problem)
    pairs: list[Pair] = []
    for one, two in _alive_together(problem):
        if buffers[one].offline_offset is None or buffers[two].offline_offset is None:
            if len(pairs) == most:
                raise TooManyPairsError
            up = distances.get((one, two), sizes[one])
            pairs.append(Pair(one, two, up, distances.get((two, one), sizes[two])))
    fixed = tuple(b.offline_offset for b in buffers)
    step = gcd(*sizes, *(d for p in pairs for d in p[2:]), *filter(None, fixed)) or 1
    step = gcd(step, *(a for a in alignments if step % a))
    lifetimes = tuple((b.begin, b.end) for b in buffers)
    return Rivals(sizes, fixed, alignments, lifetimes, tuple(pairs), step)


def least_distances(problem: Problem) -> dict[tuple[int, int], int]:
    """Savings of separations, by the lower and the upper buffer: bytes, in whole alignments.

    >>> from arenite.memory.problem import Buffer, Separation
    >>> pair = (Buffer(64, 0, 2, 16), Buffer(64, 1, 3, 16))
    >>> least_distances(Problem(pair, (Separation(1, 0, 20), Separation(0, 1, 64))))
    {(1, 0): 32}
    """
    distances: dict[tuple[int, int], int] = {}
    for lower, upper, distance in problem.separations:
        one, two = problem.buffers[lower], problem.buffers[upper]
        usual = align_up(one.size, one.alignment)
        is_fixed = one.offline_offset is not None or two.offline_offset is not None
        unit = 1 if is_fixed else gcd(one.alignment, two.alignment)
        least = min(align_up(distance, unit), distances.get((lower, upper), usual))
        if least < usual:
            distances[lower, upper] = least
    return distances


def _alive_together(problem: Problem) -> Iterator[tuple[int, int]]:
    """Pairs of numbers, the smaller first, in the order in which the second comes alive."""
    buffers = problem.buffers
    numbers = [n for n, b in enumerate(buffers) if b.size > 0 and b.begin < b.end]
    numbers.sort(key=lambda n: buffers[n].begin)
    ends: list[tuple[int, int]] = []  # of those alive, the next to die on top
    for number in numbers:
        while ends and ends[0][0] <= buffers[number].begin:
            heappop(ends)
        for _, other in ends:
            yield min(number, other), max(number, other)
        heappush(ends, (buffers[number].end, number))


def parts_of(rivals: Rivals) -> list[list[int]]:
    """Groups of buffers that do not depend on each other: pairs are within a group."""
    leader = list(range(len(rivals.sizes)))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for pair in rivals.pairs:
        leader[find(pair.two)] = find(pair.one)
    groups: dict[int, list[int]] = {}
    for number in range(len(leader)):
        groups.setdefault(find(number), []).append(number)
    return list(groups.values())


def height_of(rivals: Rivals, offsets: Sequence[int]) -> int:
    """Bytes up to the end of the highest buffer."""
    return max((at + size for at, size in zip(offsets, rivals.sizes, strict=True)), default=0)
