"""The least memory that any plan of a problem takes: what is alive together has to fit.

Buffers without separations take all of their bytes at every moment. Those that may lie on each
other form groups; no byte belongs to two groups, and the bytes that a group covers are at least
the height of its best stack (closing a gap in a stack keeps every distance). So the bound of a
moment is the sum of the best stacks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from arenite.memory.abi import align_up
from arenite.memory.conflicts import least_distances
from arenite.memory.problem import Buffer, Problem

#: Groups of up to so many buffers are stacked in every order.
_FEW = 7
Distances = Mapping[tuple[int, int], int]


def lower_bound(problem: Problem) -> int:
    """Bytes that every plan takes, at least."""
    buffers = problem.buffers
    sizes = [align_up(b.size, b.alignment) for b in buffers]
    fixed = [
        b.offline_offset + size
        for b, size in zip(buffers, sizes, strict=True)
        if b.offline_offset is not None
    ]
    saved = _saved(problem, sizes)
    in_use = _in_use(buffers, sizes)
    return max([0, *fixed, *(used - saved.get(moment, 0) for moment, used in in_use.items())])


def _in_use(buffers: Sequence[Buffer], sizes: Sequence[int]) -> dict[int, int]:
    """Bytes of all that is alive, by moment; buffers fixed offline may share theirs."""
    change: dict[int, int] = defaultdict(int)
    for buffer, size in zip(buffers, sizes, strict=True):
        if buffer.offline_offset is None and buffer.begin < buffer.end:
            change[buffer.begin] += size
            change[buffer.end] -= size
    moments = sorted(change)
    return dict(zip(moments, accumulate(change[m] for m in moments), strict=True))


def _saved(problem: Problem, sizes: Sequence[int]) -> dict[int, int]:
    """Bytes that separations save, by the moments at which a buffer comes alive or dies."""
    buffers = problem.buffers
    distances = {
        (lower, upper): distance
        for (lower, upper), distance in least_distances(problem).items()
        if buffers[lower].offline_offset is None and buffers[upper].offline_offset is None
    }
    moments = sorted({moment for b in buffers for moment in b[1:3]}) if distances else []
    # Of two that may begin at the same byte either counts as the lower one, so that every stack
    # has an order from its lowest buffer to its highest.
    distances.update({(two, one): 0 for (one, two), d in distances.items() if d == 0})
    together: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for one, two in distances:
        first = bisect_left(moments, max(buffers[one].begin, buffers[two].begin))
        behind = bisect_left(moments, min(buffers[one].end, buffers[two].end))
        for moment in moments[first:behind]:
            together[moment].append((one, two))
    stacks: dict[tuple[int, ...], int] = {}
    saved: dict[int, int] = defaultdict(int)
    for moment, pairs in together.items():
        for group in _groups(pairs):
            if group not in stacks:
                stacks[group] = sum(sizes[n] for n in group) - _stack(group, sizes, distances)
            saved[moment] += stacks[group]
    return saved


def _groups(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Groups that pairs connect, each sorted."""
    groups: list[set[int]] = []
    for pair in pairs:
        touched = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group.isdisjoint(pair)]
        groups.append(set(pair).union(*touched))
    return [tuple(sorted(group)) for group in groups]


def _stack(group: Sequence[int], sizes: Sequence[int], distances: Distances) -> int:
    """The least height of buffers that are all alive together, or a bound of it if many."""
    least = {
        n: min([sizes[n], *(distances.get((n, other), sizes[n]) for other in group)]) for n in group
    }
    if len(group) > _FEW:
        # Every buffer but the highest is below another one.
        chain = sum(least.values()) + min(sizes[n] - least[n] for n in group)
        return max(chain, *(sizes[n] for n in group))
    best = sum(sizes[n] for n in group)

    def pile(left: tuple[int, ...], offsets: dict[int, int], height: int) -> None:
        nonlocal best
        if height >= best:
            return
        if not left:
            best = height
            return
        for n in left:
            at = max(
                (offset + distances.get((m, n), sizes[m]) for m, offset in offsets.items()),
                default=0,
            )
            others = tuple(m for m in left if m != n)
            pile(others, {**offsets, n: at}, max(height, at + sizes[n]))

    pile(tuple(group), {}, 0)
    return best
