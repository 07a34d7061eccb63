"""A group of layers that run row by row: its rings, kernels, and the memory that they take.

What the rest of the network needs lies in the arena as a whole; all else is a ring. A tensor that
is there as a whole and is read with padding above or below is copied to a ring row by row: a
``feeder`` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from arenite.firmware.network.kernel import Collection, Routine, Work
from arenite.firmware.network.layers import AnyLayer, Value
from arenite.firmware.streaming.schedule import Scene, Schedule

#: Of whatever lies in memory: kernels load words.
ALIGNMENT = 4

#: How a layer of a few rows is done.
Kernels = Callable[[AnyLayer], Work]


@dataclass(frozen=True, eq=False)
class Part:
    """A layer for so many rows of its output: the layer of just these, and how it is done."""

    layer: AnyLayer
    work: Work


@dataclass(frozen=True, eq=False)
class Member:
    """The tensor and the layer of an actor.

    Attributes:
        value: The tensor whose rows it makes.
        layer: The layer; None where rows are copied, or come from outside.
        source: The store that rows are copied from; None where they come from outside.
        parts: By their number of rows.
        collections: The same of a layer that collects.
    """

    value: Value
    layer: AnyLayer | None = None
    source: int | None = None
    parts: Mapping[int, Part] = field(default_factory=dict)
    collections: Mapping[int, Collection] = field(default_factory=dict)

    @property
    def scratch(self) -> int:
        """Bytes while it runs."""
        works = [part.work for part in self.parts.values()]
        return max((sum(_up(one.bytes) for one in work.scratch) for work in works), default=0)

    @property
    def sum_bytes(self) -> int:
        """Bytes from its first step to its last."""
        return max((one.sum_bytes for one in self.collections.values()), default=0)

    @property
    def works(self) -> list[Work]:
        """The kernels that make its rows, the most rows first."""
        return [self.parts[count].work for count in sorted(self.parts, reverse=True)]

    @property
    def routines(self) -> list[Routine]:
        """All that it calls."""
        found = [work.routine for work in self.works if work.routine is not None]
        for one in self.collections.values():
            found += [one.add, one.finish]
        return found


@dataclass(frozen=True, eq=False)
class Group:
    """Layers ``first`` to before ``end``, row by row.

    Attributes:
        first: Number of the first layer.
        end: Number of the layer after the last one.
        steps: How many rows each of them makes at a time.
        scene: Actors and stores.
        members: What the actors are.
        values: The tensors of the stores.
        pads: What a byte of a ring's rows outside of the image holds.
        schedule: Who goes when.
    """

    first: int
    end: int
    steps: tuple[int, ...]
    scene: Scene
    members: tuple[Member, ...]
    values: tuple[Value, ...]
    pads: tuple[int, ...]
    schedule: Schedule

    def member_of(self, layer: int) -> Member:
        """The member of a layer."""
        return next(one for one in self.members if one.layer and one.layer.index == layer)

    @property
    def is_fed(self) -> bool:
        """Whether it asks for rows from outside."""
        return any(one.layer is None and one.source is None for one in self.members)

    def told(self) -> Iterator[tuple[AnyLayer, Value, int, int]]:
        """Pieces that observers are told of: layer, tensor, first byte and number of bytes."""
        for step in self.schedule.steps:
            actor, member = self.scene.actors[step.actor], self.members[step.actor]
            if member.layer is None or step.row >= actor.rows:
                continue
            if not actor.collects:
                row = self.row_bytes(actor.writes)
                yield member.layer, member.value, step.row * row, step.rows * row
            elif step.row + step.rows == actor.rows:
                yield member.layer, member.value, 0, member.value.nbytes

    def row_bytes(self, store: int) -> int:
        """Bytes of a row."""
        value = self.values[store]
        return value.nbytes // value.shape[1]

    @cached_property
    def outside(self) -> tuple[int, ...]:
        """Stores that were there before."""
        return tuple(n for n, _ in enumerate(self.values) if n not in self.scene.writer)

    @cached_property
    def results(self) -> tuple[int, ...]:
        """Stores that are left behind."""
        stores = self.scene.stores
        return tuple(n for n, one in enumerate(stores) if not one.is_ring and self._is_made(n))

    def _is_made(self, store: int) -> bool:
        return store in self.scene.writer

    def room(self, store: int) -> int:
        """Bytes behind a result that are written as well."""
        member = self.members[self.scene.writer[store]]
        return max((part.work.room for part in member.parts.values()), default=0)

    def read_room(self, store: int) -> int:
        """Bytes behind a store that are read as well."""
        rooms = [0]
        for reader, _ in self.scene.readers[store]:
            rooms += [part.work.read_room for part in self.members[reader].parts.values()]
        return max(rooms)

    @cached_property
    def _pieces(self) -> list[tuple[str, int, int, int]]:
        """Kind, number, bytes and lifetime of rings, sums and scratch memory."""
        schedule, pieces = self.schedule, []
        for store, rows in enumerate(schedule.rows):
            if rows:
                size = rows * self.row_bytes(store) + max(self.room(store), self.read_room(store))
                pieces.append(("ring", store, size, schedule.alive[store]))
        for number, member in enumerate(self.members):
            busy = schedule.busy[number]
            if member.sum_bytes:
                pieces.append(("sums", number, member.sum_bytes, _span(busy)))
            if member.scratch:
                pieces.append(("scratch", number, member.scratch, busy))
        return pieces

    @cached_property
    def places(self) -> dict[tuple[str, int], int]:
        """Where rings, sums and scratch memory lie in the group's block, by kind and number."""
        offsets = pack([(size, alive) for _, _, size, alive in self._pieces])
        pieces = zip(self._pieces, offsets, strict=True)
        return {(kind, number): at for (kind, number, _, _), at in pieces}

    @cached_property
    def bytes(self) -> int:
        """Of the block: everything but tensors that are there as a whole."""
        ends = (self.places[kind, number] + _up(size) for kind, number, size, _ in self._pieces)
        return max(ends, default=0)

    def distance(self, result: int, outside: int) -> int:
        """The distance below a tensor from outside that a result must begin at, if that dies here.

        What is written must lie below what is still to be read, at every step.
        """
        made = [0] * len(self.members)
        written, row, least = self.scene.writer[result], self.row_bytes(result), 0
        for step in self.schedule.steps:
            if step.actor == written:
                collects = self.scene.actors[written].collects
                end = 1 if collects else step.row + step.rows
                ahead = made.copy()
                if self._reads_before_writing(written, outside):
                    ahead[written] += step.rows
                unread = self._needed(outside, ahead) * self.row_bytes(outside)
                least = max(least, end * row + self.room(result) - unread)
            made[step.actor] += step.rows
        return _up(least)

    def _needed(self, store: int, made: Sequence[int]) -> int:
        return max(self.scene.needed(store, made), 0)

    def _reads_before_writing(self, actor: int, store: int) -> bool:
        """Whether its kernel may write over what it reads of a store in the same step."""
        member, reads = self.members[actor], self.scene.actors[actor].reads
        numbers = {reach.input for read, reach in reads if read == store}
        works = [part.work for part in member.parts.values()]
        return bool(works) and all(
            numbers <= set(work.in_place) and not work.grows for work in works
        )


def pack(pieces: Sequence[tuple[int, int]]) -> list[int]:
    """Offsets of pieces of memory, each of so many bytes and alive at the steps of its bits.

    The largest first, each at the lowest place where it meets none that is alive with it.

    >>> pack([(8, 0b001), (4, 0b110), (4, 0b011)])
    [0, 0, 8]
    """
    offsets = [0] * len(pieces)
    placed: list[int] = []
    for number in sorted(range(len(pieces)), key=lambda n: -pieces[n][0]):
        size, alive = pieces[number]
        at = 0
        for other in sorted((n for n in placed if pieces[n][1] & alive), key=offsets.__getitem__):
            if at + _up(size) <= offsets[other]:
                break
            at = max(at, offsets[other] + _up(pieces[other][0]))
        offsets[number] = at
        placed.append(number)
    return offsets


def _up(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _span(steps: int) -> int:
    """All steps from the first to the last."""
    return (1 << steps.bit_length()) - (steps & -steps)
