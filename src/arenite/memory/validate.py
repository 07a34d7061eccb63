"""An independent check of memory plans; runs after every planner.

Time goes by, and a buffer that comes alive must not reach into its neighbours among those that
are: then none of them shares a byte with another. That is all there is to see in most plans.

Where some do, since an offline plan or a separation allows it or the plan is wrong, buffers are
looked at in the order of their places, from the lowest. What was seen before begins below, so the
highest end among those alive with a buffer tells whether one reaches into it: a tree over the
moments knows that end for any lifetime.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arenite.errors import PlanError
from arenite.memory.problem import Buffer, Problem, Solution

#: From that many buffers on there are more pairs than steps of a search.
_MANY = 16


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
    whole = solution.size
    for index, (buffer, offset) in enumerate(zip(problem.buffers, solution.offsets, strict=True)):
        size, _, _, alignment, offline = buffer
        if offline is not None or offset % alignment or not 0 <= offset <= whole - size:
            _check_place(index, buffer, offset, whole)
    _check_overlaps(problem.buffers, solution.offsets, _least_distances(problem))


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
    """What separations allow, by the numbers of the lower buffer and the upper one."""
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
    if _are_apart([buffers[index] for index in filled], [offsets[index] for index in filled]):
        return
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


def _are_apart(buffers: Sequence[Buffer], starts: Sequence[int]) -> bool:
    """Whether no two share a byte while both are alive; they come in the order of their starts."""
    stops = [start + buffer.size for buffer, start in zip(buffers, starts, strict=True)]
    if len(buffers) < _MANY:
        return _few_are_apart(buffers, starts, stops)
    begins, ends = [b.begin for b in buffers], [b.end for b in buffers]
    numbers = range(len(buffers))
    to_die, dead = sorted(numbers, key=ends.__getitem__), 0
    alive = _Numbers(len(buffers))
    for number in sorted(numbers, key=begins.__getitem__):
        begin = begins[number]
        while ends[to_die[dead]] <= begin:
            alive.remove(to_die[dead])
            dead += 1
        lower, upper = alive.neighbours(number)
        if lower >= 0 and stops[lower] > starts[number]:
            return False
        if upper >= 0 and stops[number] > starts[upper]:
            return False
        alive.add(number)
    return True


def _few_are_apart(buffers: Sequence[Buffer], starts: Sequence[int], stops: Sequence[int]) -> bool:
    """The same, by looking at all pairs of which one begins where the other has not ended."""
    for lower, (buffer, stop) in enumerate(zip(buffers, stops, strict=True)):
        for upper in range(lower + 1, len(buffers)):
            if starts[upper] >= stop:
                break
            other = buffers[upper]
            if buffer.begin < other.end and other.begin < buffer.end:
                return False
    return True


class _Numbers:
    """A set of numbers below a count, as bits of integers; ``_filled`` has those that are not 0."""

    _SHIFT = 8
    _BITS = 1 << _SHIFT

    def __init__(self, count: int) -> None:
        self._parts = [0] * (count // self._BITS + 1)
        self._filled = 0

    def add(self, number: int) -> None:
        part = number >> self._SHIFT
        self._parts[part] |= 1 << (number & self._BITS - 1)
        self._filled |= 1 << part

    def remove(self, number: int) -> None:
        part = number >> self._SHIFT
        self._parts[part] ^= 1 << (number & self._BITS - 1)
        if not self._parts[part]:
            self._filled ^= 1 << part

    def neighbours(self, number: int) -> tuple[int, int]:
        """The next lower and the next higher member, -1 for none; the number itself is none."""
        parts, part = self._parts, number >> self._SHIFT
        bit = 1 << (number & self._BITS - 1)
        below, above = parts[part] & bit - 1, parts[part] & -bit
        lower = upper = part
        if not below:
            lower = (self._filled & (1 << part) - 1).bit_length() - 1
            below = parts[lower] if lower >= 0 else 0
        if not above:
            rest = self._filled & -2 << part
            upper = (rest & -rest).bit_length() - 1
            above = parts[upper] if upper >= 0 else 0
        first = (above & -above).bit_length() - 1
        return (
            (lower << self._SHIFT) + below.bit_length() - 1 if below else -1,
            (upper << self._SHIFT) + first if above else -1,
        )


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
