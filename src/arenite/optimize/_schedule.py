"""The order of operators that needs least memory: an exact search, or the best that was found.

Memory is a function of the set of operators that are done: what they wrote and somebody still
reads. So sets are looked at, in the order of the least peak with which each can be reached: the
first time that all are done, no order has a lower peak. A network of n operators in a row has n
sets; with many branches there are more than can be looked at, and a beam of the best is followed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice, pairwise
from typing import NamedTuple

from arenite.optimize.effort import Effort

#: Sets that the exact search looks at, those times tasks, and how many of one size the beam keeps.
_MOST_SETS, _MOST_LOOKS = 100_000, 10_000_000
_BEAM = 256
#: Bytes of a set that was reached, beside half of a byte for each task.
_STATE_BYTES = 600
#: A peak that any other is below.
_WORST = (1 << 200, 0)


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
    ready: int  # a bit per task that may come next


class Graph:
    """Facts of the tasks that every step needs: readers, predecessors, costs."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.count = len(work.tasks)
        self._readers = dict.fromkeys(work.sizes, 0)
        writer = {t: number for number, task in enumerate(work.tasks) for t in task.writes}
        self.before = [0] * self.count
        self._behind: list[list[int]] = [[] for _ in range(self.count)]
        for number, task in enumerate(work.tasks):
            earlier = set(task.behind)
            for tensor in task.reads:
                self._readers[tensor] |= 1 << number
                earlier.update({writer[tensor]} - {number} if tensor in writer else ())
            for other in earlier:
                self.before[number] |= 1 << other
                self._behind[other].append(number)
        self._touched = [tuple({*task.reads, *task.writes}) for task in work.tasks]
        self._written_bytes = [sum(work.sizes[t] for t in set(one.writes)) for one in work.tasks]
        self._others = self._classes()

    def _classes(self) -> list[int]:
        """Bits of the tasks that are not interchangeable with a task, for every task.

        Two tasks are if the same come before both and behind both, and what they read and write
        is the same but for the names of their outputs: an order with both exchanged is as good.
        """
        everything = (1 << self.count) - 1
        members: dict[tuple[object, ...], int] = {}
        given = frozenset(self.work.given)
        keys = [self._kind(number, given) for number in range(self.count)]
        for number, key in enumerate(keys):
            members[key] = members.get(key, 0) | 1 << number
        others = {key: everything & ~mask for key, mask in members.items()}
        return [others[key] for key in keys]

    def _kind(self, number: int, given: frozenset[int]) -> tuple[object, ...]:
        task, work = self.work.tasks[number], self.work
        writes = tuple(
            (work.sizes[t], self._readers[t], t in work.kept, t in given) for t in task.writes
        )
        behind = tuple(self._behind[number])
        return self.before[number], behind, frozenset(task.reads), writes, task.extra

    @property
    def start(self) -> _State:
        """Nothing is done; tensors that nobody reads are alive at the beginning only."""
        given = set(self.work.given) | (self.work.kept - self._written)
        live = sum(self.work.sizes[t] for t in given)
        unread = sum(self.work.sizes[t] for t in given if not self._readers[t])
        kept = sum(self.work.sizes[t] for t in given & self.work.kept if not self._readers[t])
        ready = sum(1 << number for number, before in enumerate(self.before) if not before)
        return _State(live, live - unread + kept, 0, ready)

    @property
    def _written(self) -> frozenset[int]:
        return frozenset(t for task in self.work.tasks for t in task.writes)

    @property
    def lower_bound(self) -> int:
        """Bytes that every order needs: what is alive at first, and each task's own tensors."""
        sizes, tasks = self.work.sizes, self.work.tasks
        needs = (
            sum(sizes[t] for t in touched) + task.extra
            for touched, task in zip(self._touched, tasks, strict=True)
        )
        return max(self.start.peak, max(needs, default=0))

    def ready(self, state: _State) -> Iterator[int]:
        """Tasks that may come next, of interchangeable ones the first."""
        ready, others = state.ready, self._others
        while ready:
            number = (ready & -ready).bit_length() - 1
            yield number
            ready &= others[number]

    def some_ready(self, state: _State, last: int, most: int) -> Iterable[int]:
        """At most so many of those: what comes behind the last task before all others."""
        if state.ready.bit_count() <= most:
            return self.ready(state)
        behind = (n for n in self._behind[last] if state.ready >> n & 1) if last >= 0 else ()
        first = islice(behind, most)
        return tuple(dict.fromkeys((*first, *islice(self.ready(state), most))))[:most]

    def cost(self, number: int) -> int:
        """Steps that :meth:`step` takes, of which each goes through some bits of a set."""
        looks = len(self._touched[number]) + len(self._behind[number])
        return 1 + looks * (1 + self.count // 2048) // 8

    def step(self, state: _State, number: int) -> _State:
        """Behind one more task."""
        task, sizes = self.work.tasks[number], self.work.sizes
        live = state.live + self._written_bytes[number]
        peak = max(state.peak, live + task.extra)
        done = state.done | 1 << number
        for tensor in self._touched[number]:
            if tensor not in self.work.kept and not self._readers[tensor] & ~done:
                live -= sizes[tensor]
        ready = state.ready & ~(1 << number)
        for other in self._behind[number]:
            if not self.before[other] & ~done:
                ready |= 1 << other
        return _State(peak, live, done, ready)

    def following(
        self, state: _State, candidates: Iterable[int], effort: Effort
    ) -> list[tuple[_State, int]]:
        """Tasks that may come next, and the state behind each.

        A task that raises the peak neither now nor afterwards, since no more is alive behind it,
        comes at once: in any order that has it later it can be moved here. Behind more tasks it
        gives back as much or more, so nothing in between has more alive than it had.
        """
        found = []
        for number in candidates:
            effort.spend(self.cost(number))
            after = self.step(state, number)
            if after.peak == state.peak and after.live <= state.live:
                return [(after, number)]
            found.append((after, number))
        return found


def peak_of(work: Work, order: Sequence[int]) -> int:
    """The most bytes that are alive in an order."""
    return _peak(Graph(work), order)


def _peak(graph: Graph, order: Iterable[int]) -> int:
    state = graph.start
    for number in order:
        state = graph.step(state, number)
    return state.peak


def least_peak(work: Work, most_sets: int = _MOST_SETS, effort: Effort | None = None) -> Schedule:
    """The order with the lowest peak; the model's own where none is lower.

    ``effort`` is what the search may take; what it took is gone from its steps.
    """
    graph, effort = Graph(work), effort or Effort()
    own = Schedule(tuple(range(graph.count)), _peak(graph, range(graph.count)), False)
    if graph.lower_bound >= own.peak:
        return own._replace(is_proved=True)
    half = effort.share(1, 2)
    given = half.steps
    sets = min(most_sets, max(_MOST_LOOKS // max(graph.count, 1), 2 * graph.count))
    found = _exact(graph, sets, own, half)
    effort.spend(given - half.steps)
    if found is not None:
        return found
    found = _beam(graph, effort)
    return found if found.peak < own.peak else own


def _exact(graph: Graph, most_sets: int, own: Schedule, effort: Effort) -> Schedule | None:
    """The best order, ``own`` where it is; None after too many sets, steps or bytes."""
    whole = (1 << graph.count) - 1
    heap = [(graph.start.peak, 0, 0, graph.start, -1)]
    last: dict[int, int] = {}  # by set: the task that was done last
    best: dict[int, tuple[int, int]] = {}  # by set: the least peak, and that task
    room = effort.bytes // (_STATE_BYTES + graph.count // 2)
    while heap:
        _, _, _, state, number = heappop(heap)
        if state.done in last:
            continue
        last[state.done] = number
        if state.done == whole:
            return Schedule(_way_back(last, whole), state.peak, True)
        if len(last) > most_sets or effort.steps <= 0 or len(heap) + len(last) > room:
            return None
        for after, following in graph.following(state, graph.ready(state), effort):
            if after.peak >= own.peak or best.get(after.done, _WORST) <= (after.peak, following):
                continue
            best[after.done] = after.peak, following
            heappush(heap, (after.peak, -after.done.bit_count(), after.done, after, following))
    return own._replace(is_proved=True)


def _way_back(last: Mapping[int, int], done: int) -> tuple[int, ...]:
    order = []
    while done:
        order.append(last[done])
        done ^= 1 << last[done]
    return tuple(reversed(order))


class _Way(NamedTuple):
    """The way to a state: the task that was done last, and what was before."""

    number: int
    before: _Way | None


def _beam(graph: Graph, effort: Effort) -> Schedule:
    """The few sets of one size with the lowest peaks, then those with least alive.

    Fewer sets, and of each fewer tasks, where there are not enough steps for all.
    """
    states: Sequence[tuple[_State, _Way | None]] = [(graph.start, None)]
    cost = 1 + sum(map(graph.cost, range(graph.count))) // graph.count
    for level in range(graph.count):
        reached: dict[int, tuple[_State, _Way]] = {}
        most = max(effort.steps // (graph.count - level) // cost, 1)
        for state, way in states:
            if most <= 0:
                break
            last = -1 if way is None else way.number
            found = graph.following(state, graph.some_ready(state, last, most), effort)
            most -= len(found)
            for after, number in found:
                best = reached.get(after.done)
                if best is None or after.peak < best[0].peak:
                    reached[after.done] = after, _Way(number, way)
        states = sorted(reached.values(), key=lambda one: one[0])[:_BEAM]
    state, way = states[0]
    return Schedule(_order_of(way), state.peak, False)


def _order_of(way: _Way | None) -> tuple[int, ...]:
    order = []
    while way is not None:
        order.append(way.number)
        way = way.before
    return tuple(reversed(order))


def pinned_behind(pinned: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Tasks that keep their order: each comes behind the one before it."""
    ordered = sorted(pinned)
    return {later: (earlier,) for earlier, later in pairwise(ordered)}
