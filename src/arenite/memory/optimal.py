"""The plan that takes least memory, with a proof, or the best one found in the time.

A search says of a height that a plan fits into it, that none does, or that it gave up after so
many nodes. Heights are tried from the lower bound up to the greedy plan's: first the bound
itself, then by halves; where the search gave up, all is tried again with more nodes. So the
result is the same on every machine, unless the time ends first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from arenite.memory.greedy import greedy
from arenite.memory.lower_bound import lower_bound
from arenite.memory.pair_search import OutOfNodesError, PairSearch
from arenite.memory.problem import Problem, Solution
from arenite.memory.rivals import Rivals, TooManyPairsError, height_of, parts_of, rivals_of

#: Seconds that a search may take unless the caller says otherwise.
SECONDS = 10.0
#: Nodes of the first round, and how many times as many the next one has.
_FIRST_NODES, _MORE = 256, 4
#: With more pairs than that nothing is searched.
_MOST_PAIRS = 200_000

#: Called now and then with the best height so far, the lower bound, and the nodes taken.
Progress = Callable[[int, int, int], None]


class Optimum(NamedTuple):
    """The best plan that was found.

    Attributes:
        solution: The plan, never worse than the greedy planner's.
        lower_bound: Bytes that every plan takes, at least.
        is_proved: Whether no plan takes fewer bytes than this one.
        nodes: Decisions that were tried.
    """

    solution: Solution
    lower_bound: int
    is_proved: bool
    nodes: int


def optimal(
    problem: Problem, *, seconds: float = SECONDS, progress: Progress | None = None
) -> Optimum:
    """Find the plan with the least height.

    Args:
        problem: Buffers with their lifetimes, and separations.
        seconds: When to stop at the latest; the best plan so far counts then.
        progress: Told now and then how far the search is.

    Raises:
        ValueError: ``seconds`` is negative or not a number.

    >>> from arenite.memory.problem import Buffer, Separation
    >>> buffers = (Buffer(100, 0, 2), Buffer(80, 1, 3))
    >>> optimal(Problem(buffers, (Separation(1, 0, 8),)))
    Optimum(solution=Solution(offsets=(8, 0), size=108), lower_bound=108, is_proved=True, nodes=0)
    """
    if not seconds >= 0:
        raise ValueError(f"expected 0 or more seconds, got {seconds}")
    deadline = monotonic() + seconds
    start = greedy(problem)
    bound = lower_bound(problem)
    if start.size <= bound:
        return Optimum(start, start.size, True, 0)
    try:
        rivals = rivals_of(problem, _MOST_PAIRS)
    except TooManyPairsError:
        return Optimum(start, bound, False, 0)
    return _Descent(rivals, start, bound, deadline, progress).run()


def optimal_plan(problem: Problem) -> Solution:
    """The same as a planner; problems that were just solved are remembered."""
    return _remembered(problem)


@lru_cache(maxsize=16)
def _remembered(problem: Problem) -> Solution:
    return optimal(problem).solution


class _Descent:
    """From the greedy plan downwards, one group of buffers after the other.

    A group that is lower than the bound, or than what another one was proved to take, stays as
    it is.
    """

    def __init__(
        self,
        rivals: Rivals,
        start: Solution,
        bound: int,
        deadline: float,
        progress: Progress | None,
    ) -> None:
        self._rivals = rivals
        self._offsets = list(start.offsets)
        self._deadline = deadline
        self._progress = progress
        self._bound = bound
        self._nodes = 0

    def run(self) -> Optimum:
        """The best plan."""
        groups = parts_of(self._rivals)
        groups.sort(key=self._height, reverse=True)
        for group in groups:
            self._bound = max(self._bound, self._lower(group))
        height = height_of(self._rivals, self._offsets)
        solution = Solution(tuple(self._offsets), height)
        return Optimum(solution, self._bound, height <= self._bound, self._nodes)

    def _height(self, group: list[int]) -> int:
        return max(self._offsets[n] + self._rivals.sizes[n] for n in group)

    def _lower(self, group: list[int]) -> int:
        """Lower a group as far as it goes; returns what it was proved to take."""
        step = self._rivals.step
        bound = -(-self._bound // step) * step
        if self._height(group) <= bound:
            return 0
        search = PairSearch(self._rivals, group, self._deadline)
        search.note = lambda: self._note(search.nodes)
        limit = _FIRST_NODES
        while bound < self._height(group) and monotonic() <= self._deadline:
            bound = self._round(search, group, bound, limit)
            limit *= _MORE
        self._nodes += search.nodes
        return bound

    def _round(self, search: PairSearch, group: list[int], bound: int, limit: int) -> int:
        """Halve what is between the bound and the best plan; returns the bound afterwards."""
        step = self._rivals.step
        untried = bound  # the least height that this round still tries
        while untried < self._height(group):
            count = (self._height(group) - untried) // step
            height = untried if untried == bound else untried + (count - 1) // 2 * step
            try:
                offsets = search.fits(height, limit)
            except OutOfNodesError:
                if monotonic() > self._deadline:
                    return bound
                untried = height + step
                continue
            if offsets is None:
                bound = untried = height + step
            else:
                for n, offset in offsets.items():
                    self._offsets[n] = offset
        return bound

    def _note(self, nodes: int) -> None:
        if self._progress is not None:
            height = height_of(self._rivals, self._offsets)
            self._progress(height, self._bound, self._nodes + nodes)
