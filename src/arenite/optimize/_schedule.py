"""In which order operators need least memory: an exact search, or the best order that was found.

Memory is a function of the set of operators that are done: what they wrote and somebody still
reads. So sets are looked at, in the order of the least peak with which each can be reached: the
first time that all are done, no order has a lower peak. A network of n operators in a row has n
sets; with many branches there are more than can be looked at, and a beam of the best is followed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

#: Sets that the exact search looks at, those times tasks, and how many of one size the beam keeps.
_MOST_SETS, _MOST_LOOKS = 100_000, 10_000_000
_BEAM = 256


class Task(NamedTuple):
    """An operator: what it reads and writes, in tensors, and what has to be done before.

    Attributes:
        reads: Tensors with memory that it reads.
        writes: Tensors with memory that it writes.
        behind: Numbers of tasks that come before it, beside those that write what it reads.
        extra: Bytes that it needs while it runs: scratch memory, and what subgraphs take.
    """

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    behind: tuple[int, ...] = ()
    extra: int = 0


class Schedule(NamedTuple):
    """An order of tasks, the most bytes that are alive then, and whether no order has fewer."""

    order: tuple[int, ...]
    peak: int
    is_proved: bool


class Work(NamedTuple):
    """All tasks of a subgraph.

    Attributes:
        tasks: In the order of the model.
        sizes: Bytes of every tensor with memory.
        given: Tensors that are alive before the first task.
        kept: Tensors that are alive until the end.
    """

    tasks: tuple[Task, ...]
    sizes: Mapping[int, int]
    given: tuple[int, ...]
    kept: frozenset[int]


class _State(NamedTuple):
    peak: int
    live: int
    done: int  # a bit per task


class Graph:
    """What follows from the tasks for every step."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.count = len(work.tasks)
        self._readers = dict.fromkeys(work.sizes, 0)
        writer = {t: number for number, task in enumerate(work.tasks) for t in task.writes}
        self.before = [0] * self.count
        for number, task in enumerate(work.tasks):
            for tensor in task.reads:
                self._readers[tensor] |= 1 << number
                if tensor in writer and writer[tensor] != number:
                    self.before[number] |= 1 << writer[tensor]
            for other in task.behind:
                self.before[number] |= 1 << other

    @property
    def start(self) -> _State:
        """Nothing is done; tensors that nobody reads are alive at the beginning only."""
        given = set(self.work.given) | (self.work.kept - self._written)
        live = sum(self.work.sizes[t] for t in given)
        unread = sum(self.work.sizes[t] for t in given if not self._readers[t])
        kept = sum(self.work.sizes[t] for t in given & self.work.kept if not self._readers[t])
        return _State(live, live - unread + kept, 0)

    @property
    def _written(self) -> frozenset[int]:
        return frozenset(t for task in self.work.tasks for t in task.writes)

    def ready(self, done: int) -> list[int]:
        """Tasks that may come next."""
        return [
            number
            for number in range(self.count)
            if not done >> number & 1 and self.before[number] & ~done == 0
        ]

    def step(self, state: _State, number: int) -> _State:
        """Behind one more task."""
        task, sizes = self.work.tasks[number], self.work.sizes
        live = state.live + sum(sizes[t] for t in set(task.writes))
        peak = max(state.peak, live + task.extra)
        done = state.done | 1 << number
        for tensor in {*task.reads, *task.writes}:
            if tensor not in self.work.kept and self._readers[tensor] & ~done == 0:
                live -= sizes[tensor]
        return _State(peak, live, done)

    def following(self, state: _State) -> list[tuple[_State, int]]:
        """What may come next, and the state behind it.

        A task that raises the peak neither now nor afterwards, since no more is alive behind it,
        comes at once: in any order that has it later it can be moved here. Behind more tasks it
        gives back as much or more, so nothing in between has more alive than it had.
        """
        found = []
        for number in self.ready(state.done):
            after = self.step(state, number)
            if after.peak == state.peak and after.live <= state.live:
                return [(after, number)]
            found.append((after, number))
        return found


def peak_of(work: Work, order: Sequence[int]) -> int:
    """The most bytes that are alive in an order."""
    graph = Graph(work)
    state = graph.start
    for number in order:
        state = graph.step(state, number)
    return state.peak


def least_peak(work: Work, most_sets: int = _MOST_SETS) -> Schedule:
    """The order with the lowest peak; the model's own where none is lower."""
    graph = Graph(work)
    own = Schedule(tuple(range(graph.count)), peak_of(work, range(graph.count)), False)
    exact = _exact(graph, min(most_sets, _MOST_LOOKS // max(graph.count, 1)))
    if exact is not None:
        return own._replace(is_proved=True) if exact.peak >= own.peak else exact
    found = _beam(graph)
    return found if found.peak < own.peak else own


def _exact(graph: Graph, most_sets: int) -> Schedule | None:
    """None after too many sets."""
    whole = (1 << graph.count) - 1
    heap = [(graph.start.peak, 0, 0, graph.start, -1)]
    last: dict[int, int] = {}  # by set: the task that was done last
    while heap:
        _, _, _, state, number = heappop(heap)
        if state.done in last:
            continue
        last[state.done] = number
        if state.done == whole:
            return Schedule(_way_back(last, whole), state.peak, True)
        if len(last) > most_sets:
            return None
        for reached, following in graph.following(state):
            if reached.done not in last:
                depth = -reached.done.bit_count()
                heappush(heap, (reached.peak, depth, reached.done, reached, following))
    return None


def _way_back(last: Mapping[int, int], done: int) -> tuple[int, ...]:
    order = []
    while done:
        order.append(last[done])
        done ^= 1 << last[done]
    return tuple(reversed(order))


def _beam(graph: Graph) -> Schedule:
    """Of all sets of one size the few with the lowest peaks, then those with least alive."""
    states: list[tuple[_State, tuple[int, ...]]] = [(graph.start, ())]
    for _ in range(graph.count):
        reached: dict[int, tuple[_State, tuple[int, ...]]] = {}
        for state, order in states:
            for after, number in graph.following(state):
                best = reached.get(after.done)
                if best is None or after.peak < best[0].peak:
                    reached[after.done] = after, (*order, number)
        states = sorted(reached.values())[:_BEAM]
    state, order = states[0]
    return Schedule(order, state.peak, False)


def pinned_behind(pinned: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Tasks that keep their order: each comes behind the one before it."""
    ordered = sorted(pinned)
    return {later: (earlier,) for earlier, later in pairwise(ordered)}
