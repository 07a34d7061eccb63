"""Memory to work in from inside: what lies where, from which operation to which.

An operation's output begins a buffer, and so does a copy; reading keeps it alive; a later write
over it ends it. Parts of one map, written in turn before anybody reads it, are one buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arenite.npu.constants import FAST, READ_ONLY, WORK
from arenite.npu.feature_map import INSIDE, FeatureMap, Shape
from arenite.npu.operations import Convolution, Copy, Operation, Program

Place = tuple[int, int, int]


@dataclass(frozen=True)
class Buffer:
    """Bytes that hold one thing for a while.

    Attributes:
        region: Memory to work in (1) or fast memory (2).
        begin: Its first byte in the region.
        end: The byte behind it.
        first: The operation that writes it first; -1 for what is there before.
        last: The last one that reads it.
        kind: ``"constants"`` (weights, scales), ``"bytes"``, or a map's type.
        shape: A map's height, width and depth.
        layout: What parts of one map have in common: strides, bricks.
    """

    region: int
    begin: int
    end: int
    first: int
    last: int
    kind: str
    shape: Shape | None = None
    layout: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.begin

    @property
    def what(self) -> str:
        """A few words."""
        return self.kind if self.shape is None else f"{self.kind} {'x'.join(map(str, self.shape))}"

    def overlaps(self, place: Place) -> bool:
        """Whether it has bytes in common with others."""
        region, begin, end = place
        return self.region == region and self.begin < end and begin < self.end

    def with_part(self, other: Buffer) -> Buffer | None:
        """Both as one map, where ``other`` is another part of it that is written later."""
        if self.shape is None or other.shape is None or self.first < 0:
            return None
        if (self.region, self.kind, self.layout) != (other.region, other.kind, other.layout):
            return None
        (height, width, depth), (rows, columns, channels) = self.shape, other.shape
        is_near = self.overlaps((other.region, other.begin - 1, other.end + 1))
        if not is_near or width != columns or self.begin == other.begin:
            return None
        if height == rows and other.begin - self.begin < self.size:
            shape = height, width, depth + channels
        elif depth == channels and self.end <= other.begin:
            shape = height + rows, width, depth
        else:
            return None
        begin, end = min(self.begin, other.begin), max(self.end, other.end)
        return replace(self, begin=begin, end=end, shape=shape, last=max(self.last, other.last))


@dataclass(frozen=True)
class Scratch:
    """All buffers of a stream, and how much is alive when.

    Attributes:
        buffers: In the order in which they begin.
        alive: Bytes by operation.
    """

    buffers: tuple[Buffer, ...]
    alive: tuple[int, ...]

    @property
    def peak(self) -> int:
        """The operation at which most is alive; -1 without operations."""
        return max(range(len(self.alive)), key=self.alive.__getitem__, default=-1)

    def at(self, number: int) -> tuple[Buffer, ...]:
        """Buffers that are alive while an operation runs."""
        return tuple(one for one in self.buffers if one.first <= number <= one.last)


def scratch_of(program: Program) -> Scratch:
    """Follow a stream's reads and writes."""
    live: list[Buffer] = []
    ended: list[Buffer] = []
    for operation in program.operations:
        for one in _reads(operation, program):
            live = _read(live, one)
        written = _written(operation, program)
        if written is not None:
            over = [one for one in live if one.overlaps(_place(written)) or one.with_part(written)]
            live = [one for one in live if one not in over]
            whole = over[0].with_part(written) if len(over) == 1 and _is_open(over[0]) else None
            ended += [] if whole else over
            live.append(whole or written)
    buffers = sorted(ended + live, key=lambda one: (one.first, one.begin))
    count = len(program.operations)
    alive = [sum(b.size for b in buffers if b.first <= n <= b.last) for n in range(count)]
    return Scratch(tuple(buffers), tuple(alive))


def _is_open(one: Buffer) -> bool:
    """Whether nobody has read it yet: more parts may follow."""
    return one.first == one.last


def _place(one: Buffer) -> Place:
    return one.region, one.begin, one.end


def _read(live: list[Buffer], one: Buffer) -> list[Buffer]:
    """Live buffers, after an operation has read one and so kept it alive."""
    if not any(other.overlaps(_place(one)) for other in live):
        return [*live, one]
    return [
        replace(other, last=one.last) if other.overlaps(_place(one)) else other for other in live
    ]


def _reads(operation: Operation, program: Program) -> Iterator[Buffer]:
    """Buffers that an operation reads, as if nobody had written them."""
    number = operation.number
    found = [_map(one, -1, number, program) for one in operation.reads]
    if isinstance(operation, Convolution):
        found += [_bytes(one, (-1, number), "constants", program) for one in operation.streams]
    if isinstance(operation, Copy):
        place = (*operation.source, operation.length)
        found.append(_bytes(place, (-1, number), "bytes", program))
    yield from (one for one in found if one.region in (WORK, FAST))


def _written(operation: Operation, program: Program) -> Buffer | None:
    number = operation.number
    if not isinstance(operation, Copy):
        target = operation.writes
        assert target is not None
        if target.region >= INSIDE:
            return None
        return _map(target, number, number, program)
    region, begin = operation.target
    if region is None:
        return None
    kind = "constants" if operation.source[0] == READ_ONLY else "bytes"
    return _bytes((region, begin, operation.length), (number, number), kind, program)


def _seen(region: int, program: Program) -> int:
    return WORK if program.is_shared and region == FAST else region


def _map(one: FeatureMap, first: int, last: int, program: Program) -> Buffer:
    layout = (*one.pieces[0].strides, int(one.is_bricks))
    place = _seen(one.region, program), *one.span
    return Buffer(*place, first, last, str(one.dtype), one.shape, layout)


def _bytes(place: Place, when: tuple[int, int], kind: str, program: Program) -> Buffer:
    region, begin, length = place
    return Buffer(_seen(region, program), begin, begin + length, *when, kind)
