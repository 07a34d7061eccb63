"""TFLM's greedy planner: large buffers first, each at the lowest offset that is free.

Facts: TFLM ``memory_planner/greedy_memory_planner.cc``. Ties are broken as there, so the
result is equal byte for byte. TFLM walks all buffers that have a place; here a tree over time
keeps what they occupy, so that many buffers take little more than their number. Where the native
engine was built, C computes the same.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import accumulate

from arenite import native
from arenite.memory.abi import align_up
from arenite.memory.problem import Buffer, Problem, Solution

#: A node of the tree over time has that many children, as a power of two.
_BITS = 3
_LAST = (1 << _BITS) - 1
#: Parts of the time whose busiest moment is looked at in one piece.
_SECTIONS = 16
#: From that many buffers on, walking all takes longer than the tree.
_MANY = 128


def greedy(problem: Problem) -> Solution:
    """Place buffers by descending size into the first gap among those alive with them.

    Buffers with an offline offset come first and stay where they are.

    >>> from arenite.memory.problem import Buffer
    >>> greedy(Problem((Buffer(100, 0, 2), Buffer(80, 2, 4), Buffer(50, 1, 3))))
    Solution(offsets=(0, 0, 100), size=150)
    """
    found = _in_c(problem.buffers) if native.available() else None
    return in_python(problem.buffers) if found is None else found


def in_python(buffers: tuple[Buffer, ...]) -> Solution:
    """The same without C, which is checked against it."""
    sizes = [align_up(buffer.size, buffer.alignment) for buffer in buffers]
    order = _order(buffers, sizes)
    return (_one_by_one if len(buffers) < _MANY else _by_tree)(buffers, sizes, order)


def _in_c(buffers: tuple[Buffer, ...]) -> Solution | None:
    """None for what C does not take."""
    from arenite.native.greedy_planner import greedy_places  # noqa: PLC0415 - the engine may be absent

    found = greedy_places(buffers)
    return None if found is None else Solution(*found)


def _one_by_one(buffers: tuple[Buffer, ...], sizes: list[int], order: list[int]) -> Solution:
    """TFLM's own way: walk all that have a place, in the order of their places."""
    offsets, top = [0] * len(buffers), 0
    placed: list[tuple[int, int, int, int]] = []
    for index in order:
        _, begin, end, alignment, offset = buffers[index]
        size = sizes[index]
        if offset is None:
            offset = 0
            for start, stop, first, behind in placed:
                if first >= end or begin >= behind:
                    continue
                if start - offset >= size:
                    break
                if stop > offset:
                    offset = align_up(stop, alignment)
        insort(placed, (offset, offset + size, begin, end))
        offsets[index] = offset
        if offset + size > top:  # noqa: PLR1730 - faster
            top = offset + size
    return Solution(tuple(offsets), top)


def _by_tree(buffers: tuple[Buffer, ...], sizes: list[int], order: list[int]) -> Solution:
    """The same for many."""
    placed = _Placed(buffers, sizes)
    offsets, top = [0] * len(buffers), 0
    for index in order:
        buffer, size = buffers[index], sizes[index]
        nodes = placed.nodes(buffer)
        offset = buffer.offline_offset
        if offset is None:
            offset = placed.first_gap(size, buffer, nodes)
        placed.insert(offset, offset + size, buffer, nodes)
        offsets[index] = offset
        top = max(top, offset + size)
    return Solution(tuple(offsets), top)


def _order(buffers: tuple[Buffer, ...], sizes: list[int]) -> list[int]:
    """Offline buffers as they come, then by descending size; of equal ones the last first."""
    offline: list[int] = []
    online: list[int] = []
    for index, buffer in enumerate(buffers):
        (online if buffer.offline_offset is None else offline).append(index)
    online.reverse()
    online.sort(key=sizes.__getitem__, reverse=True)
    return offline + online


class _Placed:
    """Memory that placed buffers occupy, in a tree over the moments at which lifetimes change.

    Node 1 stands for all moments, nodes ``8 n`` to ``8 n + 7`` for parts of those of node n. A
    lifetime is made of few nodes. ``_whole`` has the memory that is in use during all moments of
    a node that has children, ``_any`` what is in use during all moments of the node or of one
    below it: offsets where a stretch begins, where it ends, where the next one begins and so on.

    What is in use together is spread over many nodes, and stretches that follow each other look
    like gaps in each. So the busiest moments have what is in use then in one piece.
    """

    def __init__(self, buffers: tuple[Buffer, ...], sizes: list[int]) -> None:
        moments = sorted({moment for buffer in buffers for moment in buffer[1:3]})
        leaves = 1
        while leaves < len(moments):
            leaves <<= _BITS
        self._leaves = leaves
        self._leaf = {moment: leaves + number for number, moment in enumerate(moments)}
        self._least = min(filter(None, sizes), default=1)
        self._whole: dict[int, list[int]] = {}
        self._any: dict[int, list[int]] = {}
        many = len(moments) > _SECTIONS * _LAST
        self._busiest = _busiest(buffers, sizes, moments) if many else []
        self._then: list[list[int]] = [[] for _ in self._busiest]

    def nodes(self, buffer: Buffer) -> list[int]:
        """The largest nodes that a lifetime is made of."""
        first, behind, found = self._leaf[buffer.begin], self._leaf[buffer.end], []
        while first < behind:
            while first & _LAST and first < behind:
                found.append(first)
                first += 1
            while behind & _LAST and first < behind:
                behind -= 1
                found.append(behind)
            first, behind = first >> _BITS, behind >> _BITS
        return found

    def first_gap(self, size: int, buffer: Buffer, nodes: list[int]) -> int:
        """The lowest offset where ``size`` bytes are free during the whole lifetime."""
        if not size:
            return 0
        dense = self._pieces(buffer)
        used = dense + self._during(buffer, nodes)
        gap, at, agreed = 0, 0, 0
        while agreed < len(used):
            edges = used[at]
            edge = bisect_right(edges, gap)
            if not edge & 1:  # free here, up to the next stretch
                if edge == len(edges) or edges[edge] - gap >= size:
                    agreed += 1
                    at = at + 1 if at + 1 < len(used) else 0
                    continue
                edge += 1
            gap, agreed = align_up(edges[edge], buffer.alignment), 0
            if at >= len(dense):
                at = 0  # where steps are longer
        return gap

    def insert(self, start: int, stop: int, buffer: Buffer, nodes: list[int]) -> None:
        """Take memory into use for a lifetime, which is made of these nodes."""
        whole, some, least = self._whole, self._any, self._least
        for node in nodes:
            if node < self._leaves:
                _occupy(whole.setdefault(node, []), start, stop, least)
            # What is in use already in a node is so in all above it.
            while node and _occupy(some.setdefault(node, []), start, stop, least):
                node >>= _BITS  # noqa: PLW2901
        for edges in self._pieces(buffer):
            _occupy(edges, start, stop, least)

    def _pieces(self, buffer: Buffer) -> list[list[int]]:
        """Pieces in use at the busiest moments of a lifetime."""
        moments = self._busiest
        return self._then[bisect_left(moments, buffer.begin) : bisect_left(moments, buffer.end)]

    def _during(self, buffer: Buffer, nodes: list[int]) -> list[list[int]]:
        """All that is in use at some moment of a lifetime."""
        some, whole = self._any, self._whole
        used = [some[node] for node in nodes if node in some]
        first, last = self._leaf[buffer.begin], self._leaf[buffer.end] - 1
        for node in {first >> _BITS, last >> _BITS}:
            while node:
                if node in whole:
                    used.append(whole[node])
                node >>= _BITS  # noqa: PLW2901
        return used


def _busiest(buffers: tuple[Buffer, ...], sizes: list[int], moments: list[int]) -> list[int]:
    """The moment at which most memory is in use, of every section of the time."""
    change = dict.fromkeys(moments, 0)
    for buffer, size in zip(buffers, sizes, strict=True):
        change[buffer.begin] += size
        change[buffer.end] -= size
    in_use = dict(zip(moments, accumulate(change[moment] for moment in moments), strict=True))
    length = -(-len(moments) // _SECTIONS)
    sections = (moments[at : at + length] for at in range(0, len(moments), length or 1))
    return [max(section, key=in_use.__getitem__) for section in sections]


def _occupy(edges: list[int], start: int, stop: int, least: int) -> bool:
    """Take a stretch into use, and gaps beside it of less than ``least``; False if it was."""
    first = bisect_right(edges, start - least)
    behind = bisect_left(edges, stop + least)
    if first == behind and first & 1:
        return False
    new = []
    if not first & 1:
        new.append(min(start, edges[first]) if first < behind else start)
    if not behind & 1:
        new.append(max(stop, edges[behind - 1]) if first < behind else stop)
    edges[first:behind] = new
    return True
