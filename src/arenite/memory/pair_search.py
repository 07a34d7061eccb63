"""Whether a problem fits into a height: a search over which buffer of a pair is the lower one.

Every buffer has a least offset (``head``) and a greatest one (``tail``). A pair with a decided
order pushes the upper buffer's head up and the lower one's tail down; a pair of which only one
order still fits is decided by that. What is left is tried both ways, lowest overlaps first. When
the buffers at their heads do not overlap, the heads are the plan.
"""

from __future__ import annotations

from collections.abc import Sequence

from arenite.memory.conflicts import Pair, Rivals
from arenite.memory.deadline import OutOfNodesError, Watch

#: A pair's order.
_OPEN, _UP, _DOWN = 0, 1, 2
#: How often the clock is looked at, in nodes.
_CLOCK = 32
#: What undoing takes: which list, where, what was there.
_Step = tuple[list[int], int, int]


class PairSearch:
    """The search in one group of buffers, for any height."""

    def __init__(self, rivals: Rivals, members: Sequence[int], watch: Watch) -> None:
        self._rivals = rivals
        self._members = members
        inside = set(members)
        self._pairs = [pair for pair in rivals.pairs if pair.one in inside]
        self._pairs_of: dict[int, list[int]] = {n: [] for n in members}
        for number, pair in enumerate(self._pairs):
            self._pairs_of[pair.one].append(number)
            self._pairs_of[pair.two].append(number)
        self._twins = _twins(rivals, self._pairs)
        self._watch = watch

    def fits(self, height: int, most_nodes: int) -> dict[int, int] | None:
        """Offsets by buffer, or None: it is proved that there are none.

        Raises:
            OutOfNodesError: After ``most_nodes``, or behind the deadline.
        """
        state = _State(self._rivals, self._members, self._pairs, self._pairs_of, height)
        if not state.start(self._twins):
            return None
        undecided: list[tuple[int, int, int]] = []  # changes before it, the pair, its other order
        limit = self._watch.nodes + most_nodes
        while True:
            choice = state.lowest_overlap()
            if choice is None:
                return {n: state.head[n] for n in self._members}
            self._count(limit)
            number, first, second = choice
            undecided.append((len(state.changes), number, second))
            is_open = state.decide(number, first)
            while not is_open:
                if not undecided:
                    return None
                length, number, second = undecided.pop()
                state.undo(length)
                is_open = state.decide(number, second)

    def _count(self, limit: int) -> None:
        self._watch.nodes += 1
        if self._watch.nodes > limit:
            raise OutOfNodesError
        if self._watch.nodes % _CLOCK == 0:
            self._watch.look()


def _twins(rivals: Rivals, pairs: list[Pair]) -> list[int]:
    """Numbers of pairs of buffers that could change places in any plan: one order is enough."""
    rows: dict[int, dict[int, tuple[int, int]]] = {}
    for pair in pairs:
        rows.setdefault(pair.one, {})[pair.two] = (pair.up, pair.down)
        rows.setdefault(pair.two, {})[pair.one] = (pair.down, pair.up)

    def row(n: int, other: int) -> dict[int, tuple[int, int]]:
        return {m: distances for m, distances in rows[n].items() if m != other}

    return [
        number
        for number, (one, two, up, down) in enumerate(pairs)
        if up == down
        and rivals.sizes[one] == rivals.sizes[two]
        and rivals.alignments[one] == rivals.alignments[two]
        and rivals.fixed[one] is None
        and rivals.fixed[two] is None
        and len(rows[one]) == len(rows[two])
        and row(one, two) == row(two, one)
    ]


class _State:
    """Heads, tails and orders, with all changes to take back."""

    def __init__(
        self,
        rivals: Rivals,
        members: Sequence[int],
        pairs: list[Pair],
        pairs_of: dict[int, list[int]],
        height: int,
    ) -> None:
        self._rivals, self._members = rivals, members
        self._pairs, self._pairs_of = pairs, pairs_of
        self._alignment = rivals.alignments
        self.head = [0] * len(rivals.sizes)
        self.tail = [0] * len(rivals.sizes)
        for n in members:
            fixed, a = rivals.fixed[n], self._alignment[n]
            self.head[n] = 0 if fixed is None else fixed
            self.tail[n] = (height - rivals.sizes[n]) // a * a if fixed is None else fixed
        self._height = height
        self.order = [_OPEN] * len(pairs)
        self.changes: list[_Step] = []

    def start(self, twins: list[int]) -> bool:
        """Everything that follows before a decision; False if nothing fits."""
        sizes = self._rivals.sizes
        for n in self._members:
            if self.head[n] > self.tail[n] or self.head[n] + sizes[n] > self._height:
                return False
        for number in twins:
            self._set(self.order, number, _UP)
        return self._settle(list(self._members))

    def decide(self, number: int, order: int) -> bool:
        """Decide a pair and what follows from it; False if nothing fits any more."""
        self._set(self.order, number, order)
        return self._settle([self._pairs[number].one, self._pairs[number].two])

    def undo(self, length: int) -> None:
        """Take changes back until that many are left."""
        changes = self.changes
        while len(changes) > length:
            values, index, before = changes.pop()
            values[index] = before

    def lowest_overlap(self) -> tuple[int, int, int] | None:
        """The pair to decide next, the order to try first, the other; None if all is placed."""
        head, tail, order = self.head, self.tail, self.order
        best: tuple[int, int] | None = None
        choice = None
        for number, (one, two, up, down) in enumerate(self._pairs):
            if order[number]:
                continue
            low, high = head[one], head[two]
            if high >= low + up or low >= high + down:
                continue
            up_slack, down_slack = tail[two] - low - up, tail[one] - high - down
            key = (max(low, high), min(up_slack, down_slack))
            if best is None or key < best:
                best = key
                choice = (number, _UP, _DOWN) if up_slack >= down_slack else (number, _DOWN, _UP)
        return choice

    def _set(self, values: list[int], index: int, value: int) -> None:
        self.changes.append((values, index, values[index]))
        values[index] = value

    def _settle(self, changed: list[int]) -> bool:
        """Push until nothing moves any more; False if something does not fit."""
        waiting = set(changed)
        while changed:
            n = changed.pop()
            waiting.discard(n)
            for number in self._pairs_of[n]:
                order = self.order[number] or self._forced(number)
                if order < 0:
                    return False
                if order == _OPEN:
                    continue
                moved = self._push(number, order)
                if moved is None:
                    return False
                for m in moved:
                    if m not in waiting:
                        waiting.add(m)
                        changed.append(m)
        return True

    def _forced(self, number: int) -> int:
        """Decide a pair if only one order fits; -1 if none does."""
        one, two, up, down = self._pairs[number]
        is_up = self.head[one] + up <= self.tail[two]
        is_down = self.head[two] + down <= self.tail[one]
        if is_up and is_down:
            return _OPEN
        if not is_up and not is_down:
            return -1
        order = _UP if is_up else _DOWN
        self._set(self.order, number, order)
        return order

    def _push(self, number: int, order: int) -> list[int] | None:
        """Keep a decided pair apart; the buffers that moved, or None if one cannot."""
        lower, upper, distance, down = self._pairs[number]
        if order == _DOWN:
            lower, upper, distance = upper, lower, down
        moved = []
        least = self.head[lower] + distance
        if least > self.head[upper]:
            least = -(-least // self._alignment[upper]) * self._alignment[upper]
            if least > self.tail[upper]:
                return None
            self._set(self.head, upper, least)
            moved.append(upper)
        most = self.tail[upper] - distance
        if most < self.tail[lower]:
            most = most // self._alignment[lower] * self._alignment[lower]
            if most < self.head[lower]:
                return None
            self._set(self.tail, lower, most)
            moved.append(lower)
        return moved
