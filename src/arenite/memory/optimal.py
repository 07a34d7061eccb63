"""The plan that takes least memory, with a proof, or the best one found in the time.

A search says of a height that a plan fits into it, that none does, or that it gave up after so
many nodes. Heights are tried from the lower bound up to the greedy plan's: first the bound
itself, then by halves; where the search gave up, all is tried again with more nodes. So the
result is the same on every machine, unless the time ends first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from arenite.memory.conflicts import Rivals, TooManyPairsError, height_of, parts_of, rivals_of
from arenite.memory.deadline import OutOfNodesError, Watch
from arenite.memory.greedy import greedy
from arenite.memory.lower_bound import lower_bound
from arenite.memory.packing import packing_search
from arenite.memory.pair_search import PairSearch
from arenite.memory.problem import Problem, Solution

#: Seconds of processor time that a search may take unless the caller says otherwise.
SECONDS = 10.0
#: Nodes of the first round for the least height, and how many times as many the next one has.
_FIRST_NODES, _MORE = 512, 2
#: Heights above the least one get that part of the nodes: they are steps on the way.
_PART = 8
#: With more pairs than that, those of hundreds of buffers, the search over pairs is left out.
_FEW_PAIRS = 2000
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


class Search(Protocol):
    """Search for whether a group of buffers fits into a height."""

    def fits(self, height: int, most_nodes: int) -> dict[int, int] | None:
        """Offsets by buffer, or None: it is proved that there are none.

        Raises:
            OutOfNodesError: After so many nodes, or when the time is up.
        """


def optimal(
    problem: Problem,
    *,
    seconds: float = SECONDS,
    enough: int = 0,
    progress: Progress | None = None,
) -> Optimum:
    """Find the plan with the least height.

    Args:
        problem: Buffers with their lifetimes, and separations.
        seconds: Processor time after which it stops; the best plan so far counts then.
        enough: Bytes: a plan that takes no more than that is good enough.
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
    start = greedy(problem)
    bound = lower_bound(problem)
    if start.size <= max(bound, enough):
        return Optimum(start, bound, start.size <= bound, 0)
    try:
        rivals = rivals_of(problem, _MOST_PAIRS)
    except TooManyPairsError:
        return Optimum(start, bound, False, 0)
    found = _Descent(rivals, start, bound, _Limits(seconds, enough), progress).run()
    if found.is_proved or (seconds >= SECONDS and not enough):
        _remember(problem, found.solution)
    return found


class _Limits(NamedTuple):
    seconds: float
    enough: int


def optimal_plan(problem: Problem) -> Solution:
    """The same as a planner. Problems that were just solved are remembered."""
    found = _recent.get(problem)
    return optimal(problem).solution if found is None else found


#: Plans of the problems that were solved last, the oldest first.
_recent: dict[Problem, Solution] = {}
_MOST_RECENT = 16


def _remember(problem: Problem, solution: Solution) -> None:
    _recent[problem] = solution
    while len(_recent) > _MOST_RECENT:
        _recent.pop(next(iter(_recent)), None)


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
        limits: _Limits,
        progress: Progress | None,
    ) -> None:
        self._rivals = rivals
        self._offsets = list(start.offsets)
        self._bound = bound
        self._enough = limits.enough
        self._progress = progress
        self._watch = Watch(limits.seconds, self._tell)

    def run(self) -> Optimum:
        """The best plan."""
        groups = parts_of(self._rivals)
        groups.sort(key=self._height, reverse=True)
        for group in groups:
            self._bound = max(self._bound, self._lower(group))
        height = height_of(self._rivals, self._offsets)
        solution = Solution(tuple(self._offsets), height)
        return Optimum(solution, self._bound, height <= self._bound, self._watch.nodes)

    def _height(self, group: Sequence[int]) -> int:
        return max(self._offsets[n] + self._rivals.sizes[n] for n in group)

    def _is_done(self, group: Sequence[int], bound: int) -> bool:
        return self._height(group) <= max(bound, self._enough)

    def _lower(self, group: Sequence[int]) -> int:
        """Lower a group as far as it goes; returns what it was proved to take."""
        step = self._rivals.step
        bound = -(-self._bound // step) * step
        if self._is_done(group, bound):
            return 0
        searches = self._searches(group)
        nodes = _FIRST_NODES
        while not self._is_done(group, bound) and not self._watch.is_over:
            for search in searches:
                bound = self._round(search, group, bound, nodes)
            nodes *= _MORE
        return bound

    def _searches(self, group: Sequence[int]) -> list[Search]:
        """Over pairs where there are few; in C, if it takes the group; at least one."""
        packing = packing_search(self._rivals, group, self._watch)
        if packing is None:
            return [PairSearch(self._rivals, group, self._watch)]
        if len(self._rivals.pairs) > _FEW_PAIRS:
            return [packing]
        return [PairSearch(self._rivals, group, self._watch), packing]

    def _round(self, search: Search, group: Sequence[int], bound: int, nodes: int) -> int:
        """Halve what is between the bound and the best plan; returns the bound afterwards."""
        step = self._rivals.step
        untried = bound  # the least height that this round still tries
        if self._enough > bound:
            untried = self._enough // step * step
        first = untried
        while untried < self._height(group) and not self._is_done(group, bound):
            count = (self._height(group) - untried) // step
            height = untried if untried == first else untried + (count - 1) // 2 * step
            try:
                offsets = search.fits(height, nodes if height == first else nodes // _PART)
            except OutOfNodesError:
                if self._watch.is_over:
                    return bound
                untried = height + step
                continue
            if offsets is None:
                bound = untried = height + step
                continue
            for n, offset in offsets.items():
                self._offsets[n] = offset
        return bound

    def _tell(self) -> None:
        if self._progress is not None:
            height = height_of(self._rivals, self._offsets)
            self._progress(height, self._bound, self._watch.nodes)
