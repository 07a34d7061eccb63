"""An independent check of a firmware's memory: every byte that is read is the one that is meant.

The plan is played through on an arena whose bytes say what they are: byte 17 of tensor 5. Who makes
rows when, and where rows of a ring move, is worked out here a second time, as the driver in C does
it, from rings and places alone. Within one call a kernel is trusted to read before it writes over
what it may lie over (``Work.in_place``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from arenite.errors import PlanError
from arenite.firmware.network.kernel import Place, State, Work
from arenite.firmware.network.layers import AnyLayer, Network, Value
from arenite.firmware.plan.layout import Inputs, Layout
from arenite.firmware.streaming.group import Group
from arenite.firmware.streaming.schedule import Actor, Read

#: What a byte is that is worth nothing.
_NOTHING = -1
#: More than a tensor has bytes, and the first number that is no tensor's.
_FAR, _STATES = 1 << 32, 1 << 24
Marks = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class _Bytes:
    """Bytes of a tensor from ``offset`` on, at ``place``.

    ``own`` are the marks of tensors whose bytes are others', by tensor.
    """

    tensor: int
    offset: int
    place: int
    bytes: int
    own: Mapping[int, Marks] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.place + self.bytes

    def meets(self, other: _Bytes) -> bool:
        return self.place < other.end and other.place < self.end

    @property
    def marks(self) -> Marks:
        """The mark of each byte; rows of padding have none of another tensor's."""
        offsets = np.arange(self.offset, self.offset + self.bytes)
        marks = self.tensor * _FAR + offsets
        own = self.own.get(self.tensor)
        if own is not None:
            inside = (offsets >= 0) & (offsets < len(own))
            marks[inside] = own[offsets[inside]]
        return marks


class Arena:
    """Bytes that know what they are."""

    def __init__(self, size: int) -> None:
        self._bytes = np.full(size, _NOTHING, np.int64)

    def write(self, what: _Bytes, room: int = 0) -> None:
        """Some of a tensor, with bytes behind it that are worth nothing."""
        self._look(what.place, what.end + room, "writing")
        self._bytes[what.place : what.end] = what.marks
        self._bytes[what.end : what.end + room] = _NOTHING

    def fill(self, what: _Bytes, where: np.ndarray[Any, Any]) -> None:
        """Some bytes of a tensor."""
        self._look(what.place, what.end, "writing")
        self._bytes[what.place : what.end][where] = what.marks[where]

    def spoil(self, place: int, size: int) -> None:
        """Memory that a layer takes for itself."""
        self._look(place, place + size, "scratch memory")
        self._bytes[place : place + size] = _NOTHING

    def move(self, to: int, source: int, size: int) -> None:
        """Bytes downwards."""
        self._bytes[to : to + size] = self._bytes[source : source + size].copy()

    def read(self, what: _Bytes, who: str) -> None:
        """Bytes that shall be those of a tensor.

        Raises:
            PlanError: They are not.
        """
        self._look(what.place, what.end, "reading")
        wrong = np.flatnonzero(self._bytes[what.place : what.end] != what.marks)
        if len(wrong):
            raise PlanError(
                f"{who} reads tensor {what.tensor} at {what.place}: byte "
                f"{what.offset + int(wrong[0])} has been written over"
            )

    def _look(self, begin: int, end: int, what: str) -> None:
        if begin < 0 or end > len(self._bytes):
            raise PlanError(f"{what} at {begin} to {end}, outside of {len(self._bytes)} bytes")


def replay(
    network: Network,
    layout: Layout,
    groups: Sequence[Group] = (),
    inputs: Inputs = "overwritten",
) -> None:
    """Play a plan through.

    Raises:
        PlanError: A byte is read that is not the one meant, or one outside of the arena.
    """
    _Play(network, layout, groups, inputs).all()


class _Play:
    def __init__(
        self,
        network: Network,
        layout: Layout,
        groups: Sequence[Group],
        inputs: Inputs,
    ) -> None:
        self._network, self._works, self._layout = network, layout.works, layout
        self._inputs: Inputs = inputs
        self._groups = {group.first: (group, n) for n, group in enumerate(groups)}
        self._inside = {n for group in groups for n in range(group.first, group.end)}
        self._arena = Arena(layout.size)
        #: Marks of tensors and variables that moves have handed on.
        self._own: dict[int, Marks] = {}
        self._next = count(_STATES)
        self._states = {state: next(self._next) for state in layout.states}

    def all(self) -> None:
        network, kept = self._network, list(self._network.variables())
        if self._inputs != "rows":
            kept += network.inputs
        for value in kept:
            self._arena.write(self._whole(value))
        for state in self._states:
            self._arena.write(self._kept(state))
        for value in kept:
            self._arena.read(self._whole(value), "the beginning")
        for layer in network.layers:
            if layer.index in self._groups:
                group, number = self._groups[layer.index]
                block = self._layout.blocks[number]
                _PlayGroup(group, block, self._layout, self._arena, self._own).all()
            elif layer.index not in self._inside:
                self._layer(layer, self._works[layer.index])
        last = [*network.outputs, *network.variables()]
        last += network.inputs if self._inputs == "kept" else ()
        for value in last:
            self._arena.read(self._whole(value), "the end")
        self._look_at_states("the end")

    def _whole(self, value: Value) -> _Bytes:
        """A tensor; one of the same bytes as another has the marks of that one."""
        place = self._layout.tensors[value.index]
        return _Bytes(value.index, 0, place, value.nbytes, self._own)

    def _kept(self, state: State) -> _Bytes:
        return _Bytes(self._states[state], 0, self._layout.states[state], state.bytes, self._own)

    def _look_at_states(self, who: str) -> None:
        for state in self._states:
            self._arena.read(self._kept(state), who)

    def _layer(self, layer: AnyLayer, work: Work) -> None:
        who = f"layer {layer.index}, {layer.name},"
        there = ((i, v) for i, v in enumerate(layer.inputs) if v is not None)
        reads = {i: self._whole(v) for i, v in there if not v.is_constant}
        for read in reads.values():
            self._arena.read(read, who)
        for state in work.states:
            self._arena.read(self._kept(state), who)
        if work.routine is None and work.in_place:
            x = layer.input(work.in_place[0])
            self._own[layer.output.index] = self._whole(x).marks
        elif work.places:
            self._moves(layer, work, who)
        else:
            self._computes(layer, work, reads, who)
        for value in layer.outputs:
            self._arena.read(self._whole(value), who)
        if work.ends is not None:
            self._look_at_states(who)

    def _computes(self, layer: AnyLayer, work: Work, reads: dict[int, _Bytes], who: str) -> None:
        scratch = list(zip(self._layout.scratch[layer.index], work.scratch, strict=True))
        writes = [self._whole(value) for value in layer.outputs]
        _apart([*reads.values(), *writes], [(at, one.bytes) for at, one in scratch], who)
        for at, one in scratch:
            self._arena.spoil(at, one.bytes)
        for value, write in zip(layer.outputs, writes, strict=True):
            _may_lie(write, reads, work, who)
            self._arena.write(write, 0 if value.is_variable else work.room)
        for state in work.states:
            self._changed(state)

    # -- moves

    def _moves(self, layer: AnyLayer, work: Work, who: str) -> None:
        """Moves hand marks on, and bytes, where they are not spared."""
        outputs = {value.index for value in layer.outputs}
        for place in filter(None, work.places):
            self._hand_on(place, place.part.index in outputs)
        left = [one for n, one in enumerate(work.places) if n not in work.taken]
        for place in filter(None, left):
            part, inside = self._whole(place.part), self._inside_of(place)
            source, target = (inside, part) if place.part.index in outputs else (part, inside)
            if source.meets(target) and target.place > source.place:
                raise PlanError(f"{who} moves bytes at {source.place} upwards over themselves")
            self._arena.read(replace(part, place=source.place), who)
            self._arena.write(replace(part, place=target.place))
        if None in left:
            self._come_from_elsewhere(layer, work)
            for value in layer.present():
                self._arena.read(self._whole(value), who)

    def _hand_on(self, place: Place, is_written: bool) -> None:
        """A part has bytes of its whole, or the whole those of the part."""
        inside, part = self._inside_of(place), self._whole(place.part)
        if is_written:
            self._own[place.part.index] = inside.marks
            return
        whole = inside.tensor
        size = place.whole.bytes if isinstance(place.whole, State) else place.whole.nbytes
        marks = _Bytes(whole, 0, 0, size, self._own).marks.copy()
        marks[place.offset : place.offset + place.part.nbytes] = part.marks
        self._own[whole] = marks

    def _inside_of(self, place: Place) -> _Bytes:
        """A part's place in its whole."""
        whole = (
            self._kept(place.whole) if isinstance(place.whole, State) else self._whole(place.whole)
        )
        return replace(
            whole, offset=place.offset, place=whole.place + place.offset, bytes=place.part.nbytes
        )

    def _changed(self, state: State) -> None:
        """A variable's bytes are new ones."""
        self._states[state] = next(self._next)
        self._arena.write(self._kept(state))

    def _come_from_elsewhere(self, layer: AnyLayer, work: Work) -> None:
        """Mark bytes written by moves without a place: those of outputs that no place covers."""
        handed = {place.whole for place in filter(None, work.places)}
        for state in work.states:
            if state not in handed:
                self._changed(state)
        for value in layer.outputs:
            whole, own = self._whole(value), np.ones(value.nbytes, bool)
            for place in filter(None, work.places):
                if place.whole is value:
                    own[place.offset : place.offset + place.part.nbytes] = False
            self._arena.fill(whole, own)


def _apart(tensors: Iterable[_Bytes], scratch: Sequence[tuple[int, int]], who: str) -> None:
    for one in tensors:
        for place, size in scratch:
            if one.meets(_Bytes(-1, 0, place, size)):
                raise PlanError(f"{who} has scratch memory at {place} in tensor {one.tensor}")


def _may_lie(write: _Bytes, reads: dict[int, _Bytes], work: Work, who: str) -> None:
    """An output lies beside inputs, or over one that its kernel lets it lie over."""
    for number, read in reads.items():
        if not write.meets(read) or write.tensor == read.tensor:
            continue
        begins = write.place == read.place or (work.grows and write.place > read.place)
        if number not in work.in_place or not begins:
            raise PlanError(f"{who} writes at {write.place} over input {number}, which it reads")


class _PlayGroup:
    """A group's driver: ``made`` rows of every actor, the row that each ring begins with."""

    def __init__(
        self, group: Group, block: int, layout: Layout, arena: Arena, own: dict[int, Marks]
    ) -> None:
        self._group, self._block, self._layout, self._arena = group, block, layout, arena
        self._own = own
        self._made = [0] * len(group.members)
        self._begin = {n: -one.top for n, one in enumerate(group.scene.stores) if one.is_ring}

    def all(self) -> None:
        actors = self._group.scene.actors
        while True:
            ready = [n for n in self._group.scene.order if self._is_ready(n)]
            if not ready:
                break
            self._go(ready[0], actors[ready[0]])
        for number, actor in enumerate(actors):
            if self._made[number] < actor.rows:
                raise PlanError(f"actor {number} waits for rows that nobody makes")

    def _is_ready(self, number: int) -> bool:
        actor, made = self._group.scene.actors[number], self._made[number]
        store = self._group.scene.stores[actor.writes]
        if made >= actor.rows:
            return store.is_ring and made < actor.rows + store.bottom
        last = made + actor.next(made) - 1
        return all(max(reach.end(last), 1) <= self._there(store) for store, reach in actor.reads)

    def _there(self, store: int) -> float:
        writers = (n for n, a in enumerate(self._group.scene.actors) if a.writes == store)
        writer = next(writers, None)
        return float("inf") if writer is None else self._made[writer]

    def _go(self, number: int, actor: Actor) -> None:
        made, store = self._made[number], self._group.scene.stores[actor.writes]
        count = actor.next(made)
        if store.is_ring:
            self._make_room(actor.writes, made, count)
        if made < actor.rows:
            self._run(number, actor, made, count)
        else:
            self._arena.write(self._rows(actor.writes, made, 1))
        self._made[number] = made + count

    def _make_room(self, store: int, made: int, count: int) -> None:
        rows, size = self._group.schedule.rows[store], self._group.row_bytes(store)
        if made == 0 and self._group.scene.stores[store].top:
            top = self._group.scene.stores[store].top
            self._arena.write(self._rows(store, -top, top))
        begin = self._begin[store]
        if made + count - begin <= rows:
            return
        first = min([made, *self._wanted(store)])
        at = self._place("ring", store)
        self._arena.move(at, at + (first - begin) * size, (made - first) * size)
        self._begin[store] = first
        if made + count - first > rows:
            raise PlanError(f"ring {store} of {rows} rows has no room for row {made + count - 1}")

    def _wanted(self, store: int) -> Iterable[int]:
        for number, actor in enumerate(self._group.scene.actors):
            for read in actor.reads:
                if read.store == store and self._made[number] < actor.rows:
                    yield read.reach.first(self._made[number])

    def _run(self, number: int, actor: Actor, made: int, count: int) -> None:
        member = self._group.members[number]
        who = f"actor {number} at row {made}"
        reads = {read.reach.input: self._window(read, made, count) for read in actor.reads}
        for one in reads.values():
            self._arena.read(one, who)
        write = self._rows(actor.writes, 0 if actor.collects else made, count)
        if actor.collects:
            self._arena.spoil(self._place("sums", number), member.sum_bytes)
            if made + count == actor.rows:
                self._arena.write(self._rows(actor.writes, 0, 1))
            return
        part = member.parts.get(count)
        if part is None:
            self._arena.write(write)
            return
        scratch = [(self._place("scratch", number), member.scratch)] if member.scratch else []
        _apart([*reads.values(), write], scratch, who)
        for place, size in scratch:
            self._arena.spoil(place, size)
        self._lies_below(write, reads, part.work, who)
        self._arena.write(write, part.work.room)

    @staticmethod
    def _lies_below(write: _Bytes, reads: dict[int, _Bytes], work: Work, who: str) -> None:
        for number, read in reads.items():
            over = number in work.in_place and not work.grows and write.place <= read.place
            if write.meets(read) and not over:
                raise PlanError(f"{who} writes over rows that it reads")

    def _window(self, read: Read, made: int, count: int) -> _Bytes:
        first, end = read.reach.first(made), read.reach.end(made + count - 1)
        return self._rows(read.store, first, end - first)

    def _rows(self, store: int, first: int, count: int) -> _Bytes:
        size, value = self._group.row_bytes(store), self._group.values[store]
        if store in self._begin:
            place = self._place("ring", store) + (first - self._begin[store]) * size
        else:
            place = self._layout.tensors[value.index] + first * size
        return _Bytes(value.index, first * size, place, count * size, self._own)

    def _place(self, kind: str, number: int) -> int:
        return self._block + self._group.places[kind, number]
