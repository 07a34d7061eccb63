"""The schedule of a group's rows, and which wait meanwhile: plain data, no tensors, no bytes.

An actor makes the rows of one store from rows of others. Of those that have the rows they need,
the one nearest to the end goes next; so an actor runs once its rows are wanted and not before.
The C driver decides by the same rule, row counts in hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arenite.firmware.streaming.reach import Reach


class Read(NamedTuple):
    """An actor's access to a store: which rows it needs for each row that it makes."""

    store: int
    reach: Reach


class Store(NamedTuple):
    """A tensor's rows: all of them in the arena, or in a ring.

    Attributes:
        rows: Of the tensor.
        is_ring: Whether only some of them are there at a time.
        top: Rows above the tensor that a ring has as well.
        bottom: Rows below.
    """

    rows: int
    is_ring: bool = False
    top: int = 0
    bottom: int = 0


class Actor(NamedTuple):
    """A producer of rows.

    Attributes:
        reads: What it reads; nothing where rows come from outside.
        writes: The store.
        rows: That it makes, or takes where it collects.
        step: How many at a time; what is left at the end may be fewer.
        lead: How many the first time, so that later steps end where readers' windows do.
        collects: Whether its only row is there at the end.
    """

    reads: tuple[Read, ...]
    writes: int
    rows: int
    step: int
    lead: int
    collects: bool = False

    def next(self, row: int) -> int:
        """Rows that it makes from a row on; one of a ring's bottom is made by itself."""
        if row == 0:
            return self.lead
        return min(self.step, self.rows - row) if row < self.rows else 1

    @property
    def counts(self) -> tuple[int, ...]:
        """All numbers of rows that it makes at a time."""
        tail = (self.rows - self.lead) % self.step
        whole = self.step if self.rows >= self.lead + self.step else 0
        return tuple(sorted({self.lead, whole, tail} - {0}))


class Step(NamedTuple):
    """An actor's rows; those from the tensor's end on are padding."""

    actor: int
    row: int
    rows: int


@dataclass(frozen=True)
class Scene:
    """Actors and the stores between them."""

    actors: tuple[Actor, ...]
    stores: tuple[Store, ...]

    @cached_property
    def readers(self) -> tuple[tuple[tuple[int, Reach], ...], ...]:
        """The readers of each store."""
        readers: list[list[tuple[int, Reach]]] = [[] for _ in self.stores]
        for number, actor in enumerate(self.actors):
            for store, reach in actor.reads:
                readers[store].append((number, reach))
        return tuple(map(tuple, readers))

    @cached_property
    def writer(self) -> dict[int, int]:
        """The writers of stores that are not there from the beginning."""
        return {actor.writes: number for number, actor in enumerate(self.actors)}

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Actors, the nearest to the end first; of two in a place the one with more to follow."""
        depth, rest = [0] * len(self.actors), [0] * len(self.actors)
        for number, actor in enumerate(self.actors):
            before = [depth[self.writer[s]] for s, _ in actor.reads if s in self.writer]
            depth[number] = max(before, default=-1) + 1
        for number in reversed(range(len(self.actors))):
            readers = self.readers[self.actors[number].writes]
            rest[number] = max((rest[reader] for reader, _ in readers), default=-1) + 1
        return tuple(
            sorted(range(len(self.actors)), key=lambda n: (depth[n], rest[n]), reverse=True)
        )

    def end(self, number: int) -> int:
        """All rows of an actor with the padding below them."""
        actor = self.actors[number]
        store = self.stores[actor.writes]
        return actor.rows + (store.bottom if store.is_ring else 0)

    def needed(self, store: int, made: Sequence[int]) -> int:
        """The first row of a store that somebody still reads; behind all where nobody does."""
        first = self.stores[store].rows + self.stores[store].bottom
        for reader, reach in self.readers[store]:
            if made[reader] < self.actors[reader].rows:
                first = min(first, reach.first(made[reader]))
        return first


@dataclass(frozen=True)
class Schedule:
    """All steps in order.

    Attributes:
        steps: Who makes what.
        rows: Of every ring, how many have room; 0 of other stores.
        alive: Of every ring the steps while it holds something, as bits.
        busy: Of every actor its steps, as bits.
    """

    steps: tuple[Step, ...]
    rows: tuple[int, ...]
    alive: tuple[int, ...]
    busy: tuple[int, ...]


def schedule_of(scene: Scene) -> Schedule:
    """Let everybody go until all rows are there."""
    return _Run(scene).all()


class _Run:
    """The state while actors go: how many rows each has made."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._made = [0] * len(scene.actors)
        self._steps: list[Step] = []
        self._rows = [0] * len(scene.stores)
        self._alive = [0] * len(scene.stores)
        self._since: dict[int, int] = {}
        self._busy = [0] * len(scene.actors)
        position = {number: place for place, number in enumerate(scene.order)}
        #: Whom to ask after an actor's turn: those that read what it wrote, itself, those before.
        self._next = [
            sorted({r for r, _ in scene.readers[actor.writes]}, key=position.__getitem__)
            + list(scene.order[position[number] :])
            for number, actor in enumerate(scene.actors)
        ]

    def all(self) -> Schedule:
        candidates: Sequence[int] = self._scene.order
        while (actor := next(filter(self._can_go, candidates), None)) is not None:
            self._go(actor)
            candidates = self._next[actor]
        assert all(made == self._scene.end(n) for n, made in enumerate(self._made))
        return Schedule(
            tuple(self._steps), tuple(self._rows), tuple(self._alive), tuple(self._busy)
        )

    def _can_go(self, number: int) -> bool:
        row = self._made[number]
        if row >= self._scene.end(number):
            return False
        actor = self._scene.actors[number]
        if row >= actor.rows:
            return True
        last = row + actor.next(row) - 1
        writer = self._scene.writer
        return all(
            store not in writer or self._made[writer[store]] >= reach.rows_for(last)
            for store, reach in actor.reads
        )

    def _go(self, number: int) -> None:
        actor, row, now = self._scene.actors[number], self._made[number], len(self._steps)
        step = Step(number, row, actor.next(row))
        self._steps.append(step)
        self._busy[number] |= 1 << now
        self._make_room(actor.writes, step, now)
        self._made[number] += step.rows
        for store in {actor.writes, *(read.store for read in actor.reads)}:
            self._end_life(store, now)

    def _make_room(self, store: int, step: Step, now: int) -> None:
        if not self._scene.stores[store].is_ring:
            return
        first = min(self._scene.needed(store, self._made), step.row)
        self._rows[store] = max(self._rows[store], step.row + step.rows - first)
        self._since.setdefault(store, now)

    def _end_life(self, store: int, now: int) -> None:
        """A ring without a row that somebody still reads is dead."""
        if store not in self._since:
            return
        if self._scene.needed(store, self._made) >= self._made[self._scene.writer[store]]:
            since = self._since.pop(store)
            self._alive[store] |= (1 << now + 1) - (1 << since)
