"""An independent check of memory plans; runs after every planner.

Buffers are looked at in the order of their places, from the lowest. What was seen before begins
below, so the highest end among those alive with a buffer tells whether one reaches into it. Where
lifetimes are short, that end is kept for every moment, and in most plans none does.

Otherwise, since an offline plan or a separation allows it, the plan is wrong or lifetimes are long,
a tree over the moments knows that end for any lifetime.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add, mod

from arenite.errors import PlanError
from arenite.memory.problem import Buffer, Problem, Solution

#: Buffers that are alive for so many moments are looked at moment by moment.
_LONG = 64


def validate(problem: Problem, solution: Solution) -> None:
    """Check that every buffer has a legal place of its own while it is alive.

    Buffers whose places were both fixed offline may overlap: TFLM leaves that to the author
    of the offline plan, who may know more than lifetimes say. Others may as far as a separation
    of the two allows it.

    Raises:
        PlanError: Offsets are missing, out of range or misaligned, an offline offset is
            not kept, two buffers overlap in time and memory, or a separation names a buffer that
            does not exist.
    """
    if len(solution.offsets) != len(problem.buffers):
        raise PlanError(f"expected {len(problem.buffers)} offsets, got {len(solution.offsets)}")
    if not problem.separations and _are_plain(problem.buffers, solution):
        return
    pairs = zip(problem.buffers, solution.offsets, strict=True)
    for index, (buffer, offset) in enumerate(pairs):
        _check_place(index, buffer, offset, solution.size)
    _check_overlaps(problem.buffers, solution.offsets, _least_distances(problem))


def _are_plain(buffers: Sequence[Buffer], solution: Solution) -> bool:
    """Whether all have legal places, none a fixed one, and none shares a byte with another.

    False as well where lifetimes are long: that takes too long to find out like this.
    """
    if not buffers:
        return True
    sizes, begins, ends, alignments, offline = zip(*buffers, strict=True)
    offsets = solution.offsets
    if min(offsets) < 0 or max(map(add, offsets, sizes)) > solution.size:
        return False
    if offline.count(None) < len(offline) or any(map(mod, offsets, alignments)):
        return False
    first, most = min(begins), _LONG * len(buffers)
    if max(ends) - first > most or sum(ends) - sum(begins) > most:
        return False
    tops = [0] * (max(ends) - first)  # the highest end so far, by moment
    for start, size, begin, end in sorted(zip(offsets, sizes, begins, ends, strict=True)):
        for moment in range(begin - first, end - first if size > 0 else 0):
            if tops[moment] > start:
                return False
            tops[moment] = start + size
    return True


def _check_place(index: int, buffer: Buffer, offset: int, size: int) -> None:
    if buffer.offline_offset is not None and offset != buffer.offline_offset:
        raise PlanError(
            f"buffer {index}: expected its offline offset {buffer.offline_offset}, got {offset}"
        )
    if offset < 0 or offset + buffer.size > size:
        raise PlanError(
            f"buffer {index}: bytes {offset} to {offset + buffer.size} are outside of {size}"
        )
    if buffer.offline_offset is None and offset % buffer.alignment:
        raise PlanError(f"buffer {index}: offset {offset} is not a multiple of {buffer.alignment}")


def _least_distances(problem: Problem) -> dict[tuple[int, int], int]:
    """Distances that separations allow, by the numbers of the lower buffer and the upper one."""
    allowed: dict[tuple[int, int], int] = {}
    for lower, upper, distance in problem.separations:
        if not (0 <= lower < len(problem.buffers) and 0 <= upper < len(problem.buffers)):
            raise PlanError(
                f"expected separations of buffers 0 to {len(problem.buffers) - 1}, got one of "
                f"{lower} and {upper}"
            )
        if distance < 0:
            raise PlanError(
                f"expected a distance of 0 or more bytes between buffers {lower} and {upper}, "
                f"got {distance}"
            )
        allowed[lower, upper] = min(distance, allowed.get((lower, upper), distance))
    return allowed


def _check_overlaps(
    buffers: Sequence[Buffer], offsets: Sequence[int], allowed: Mapping[tuple[int, int], int]
) -> None:
    filled = [index for index, b in enumerate(buffers) if b.size > 0 and b.begin < b.end]
    filled.sort(key=offsets.__getitem__)
    bounds = sorted({moment for index in filled for moment in buffers[index][1:3]})
    moments = {moment: number for number, moment in enumerate(bounds)}
    online = _Skyline(len(bounds))
    everything = online
    if any(buffers[index].offline_offset is not None for index in filled):
        everything = _Skyline(len(bounds))
    for index in filled:
        buffer, start = buffers[index], offsets[index]
        begin, end = moments[buffer.begin], moments[buffer.end]
        is_online = buffer.offline_offset is None
        below = everything if is_online else online
        if below.highest(begin, end) > start:
            _check_neighbours(buffers, offsets, index, allowed)
        if is_online:
            online.raise_to(start + buffer.size, begin, end)
        if everything is not online:
            everything.raise_to(start + buffer.size, begin, end)


class _Skyline:
    """The highest end of a buffer at every moment.

    A heap of nodes: node n stands for what 2 n and 2 n + 1 stand for, leaves for one moment.
    ``_all`` is an end that all of a node's moments have, ``_top`` the highest of any.
    """

    def __init__(self, moments: int) -> None:
        self._leaves = moments
        self._all = [0] * (2 * moments)
        self._top = [0] * (2 * moments)

    def highest(self, begin: int, end: int) -> int:
        """The highest end at the moments ``[begin, end)``."""
        left, right = begin + self._leaves, end + self._leaves
        first, last, highest = left, right - 1, 0
        while left < right:
            if left & 1:
                highest = max(highest, self._top[left])
                left += 1
            if right & 1:
                right -= 1
                highest = max(highest, self._top[right])
            left, right = left >> 1, right >> 1
        whole = self._all
        while first:
            highest = max(highest, whole[first])
            if last != first and whole[last] > highest:
                highest = whole[last]
            first, last = first >> 1, last >> 1
        return highest

    def raise_to(self, end_of_buffer: int, begin: int, end: int) -> None:
        """A buffer ends there during the moments ``[begin, end)``."""
        left, right = begin + self._leaves, end + self._leaves
        while left < right:
            if left & 1:
                self._cover(left, end_of_buffer)
                left += 1
            if right & 1:
                right -= 1
                self._cover(right, end_of_buffer)
            left, right = left >> 1, right >> 1

    def _cover(self, node: int, end: int) -> None:
        self._all[node] = max(self._all[node], end)
        while node and self._top[node] < end:
            self._top[node] = end
            node >>= 1


def _check_neighbours(
    buffers: Sequence[Buffer],
    offsets: Sequence[int],
    index: int,
    allowed: Mapping[tuple[int, int], int],
) -> None:
    """Look at all that share a moment and a byte with a buffer."""

    def reaches_in(other: int) -> bool:
        one, two = buffers[index], buffers[other]
        return (
            other != index
            and two.size > 0
            and (one.offline_offset is None or two.offline_offset is None)
            and max(one.begin, two.begin) < min(one.end, two.end)
            and offsets[other] < offsets[index] + one.size
            and offsets[index] < offsets[other] + two.size
        )

    def is_allowed(lower: int, upper: int) -> bool:
        distance = allowed.get((lower, upper))
        return distance is not None and offsets[upper] - offsets[lower] >= distance

    for other in filter(reaches_in, range(len(buffers))):
        if not is_allowed(index, other) and not is_allowed(other, index):
            raise _overlap(buffers, offsets, *sorted((index, other)))


def _overlap(buffers: Sequence[Buffer], offsets: Sequence[int], i: int, j: int) -> PlanError:
    (a, b), (start, behind) = (buffers[i], buffers[j]), (offsets[i], offsets[j])
    return PlanError(
        f"buffers {i} and {j} overlap: bytes {start} to {start + a.size} and {behind} to "
        f"{behind + b.size}, alive from {a.begin} to {a.end} and {b.begin} to {b.end}"
    )
