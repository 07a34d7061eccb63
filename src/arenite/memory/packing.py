"""Whether a problem fits into a height: a search that places buffers from below upwards, in C.

For problems of hundreds of buffers that fill their memory, as compilers of accelerators have them;
``csrc/engine/packing.c`` says how. What comes first among equals is ranked in three ways, and no
way is best for all: all three are tried with as many steps each, then with more.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from arenite import native
from arenite.memory.conflicts import Rivals
from arenite.memory.deadline import OutOfNodesError, Watch

if TYPE_CHECKING:
    from arenite.native.packing import Packing

#: Steps between two looks at the clock.
_SLICE = 4096
#: What C counts with, and the numbers that a search may keep.
_MAX_BYTES, _MAX_ROOM = 2**40, 1 << 26


def packing_search(rivals: Rivals, members: Sequence[int], watch: Watch) -> PackingSearch | None:
    """The search in one group of buffers; None for what C does not take.

    That are offline offsets, alignments that do not follow from the sizes, numbers beyond its
    reach, and circles of buffers that may begin at the same byte, each as the upper one of the
    next only; or the engine was not built.
    """
    if not native.available() or any(rivals.fixed[n] is not None for n in members):
        return None
    if any(rivals.step % rivals.alignments[n] for n in members):
        return None
    if sum(rivals.sizes[n] for n in members) > _MAX_BYTES:
        return None
    if _has_circle(rivals):
        return None
    packing = _packing(rivals, members)
    return None if packing is None else PackingSearch(packing, members, watch)


class PackingSearch:
    """A search for places below any height."""

    def __init__(self, packing: Packing, members: Sequence[int], watch: Watch) -> None:
        self._packing = packing
        self._members = members
        self._watch = watch

    def fits(self, height: int, most_nodes: int) -> dict[int, int] | None:
        """Offsets by buffer, or None: it is proved that there are none.

        Raises:
            OutOfNodesError: After ``most_nodes`` for each way to rank, or behind the deadline.
        """
        from arenite.native.packing import ORDERS  # noqa: PLC0415 - the engine may be absent

        for order in ORDERS:
            self._packing.start(height, order)
            left = most_nodes
            while left > 0:
                try:
                    outcome, taken = self._packing.run(min(left, _SLICE))
                except MemoryError:
                    break
                self._watch.nodes += taken
                left -= taken
                if outcome is not None:
                    offsets = zip(self._members, self._packing.offsets, strict=True)
                    return dict(offsets) if outcome else None
                self._watch.look()
        raise OutOfNodesError


def sections_of(lifetimes: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[range]]:
    """The largest sets of lifetimes that have a moment in common, in the order of time.

    >>> sections_of([(0, 2), (1, 3), (2, 4)])
    ([[0, 1], [1, 2]], [range(0, 1), range(0, 2), range(1, 2)])

    Returns:
        The lifetimes of every set, and the sets of every lifetime.
    """
    # At a moment some end before others begin.
    events = sorted(
        (moment, is_begin, number)
        for number, lifetime in enumerate(lifetimes)
        for is_begin, moment in enumerate(reversed(lifetime))
    )
    sections: list[list[int]] = []
    spans = [range(0)] * len(lifetimes)
    alive: dict[int, int] = {}
    has_grown = False
    for _, is_begin, number in events:
        if is_begin:
            alive[number] = len(sections)
            has_grown = True
            continue
        if has_grown:
            sections.append(list(alive))
            has_grown = False
        spans[number] = range(alive.pop(number), len(sections))
    return sections, spans


def _packing(rivals: Rivals, members: Sequence[int]) -> Packing | None:
    from arenite.native.packing import BLOCK, NEIGHBOUR, Packing  # noqa: PLC0415

    place = {n: at for at, n in enumerate(members)}
    around: list[list[tuple[int, int, int, int]]] = [[] for _ in members]
    for one, two, up, down in rivals.pairs:
        if one in place:
            around[place[one]].append((place[two], 0, up, down))
            around[place[two]].append((place[one], 0, down, up))
    sections, spans = sections_of([rivals.lifetimes[n] for n in members])
    degree = max(map(len, around))
    room = len(members) * (3 * len(members) + 6 * len(sections) + 2 * degree + 64)
    if room > _MAX_ROOM:
        return None
    blocks = np.zeros(len(members) + 1, BLOCK)
    blocks["others"][1:] = np.cumsum([len(others) for others in around])
    sizes = [rivals.sizes[n] for n in members]
    blocks["size"][:-1] = sizes
    blocks["least"][:-1] = [
        min([size, *(above for _, _, above, _ in others)])
        for size, others in zip(sizes, around, strict=True)
    ]
    blocks["lifetime"][:-1] = [rivals.lifetimes[n][1] - rivals.lifetimes[n][0] for n in members]
    blocks["first"][:-1] = [span.start for span in spans]
    blocks["behind"][:-1] = [span.stop for span in spans]
    neighbours = np.array([other for others in around for other in others], NEIGHBOUR)
    alive = np.concatenate([np.array(section, np.int32) for section in sections])
    alive_from = np.cumsum([0, *map(len, sections)], dtype=np.int32)
    has_ties = any(0 in (up, down) for _, _, up, down in rivals.pairs)
    return Packing(blocks, neighbours, alive, alive_from, room=room, has_ties=has_ties)


def _has_circle(rivals: Rivals) -> bool:
    """Whether buffers of one offset would have no order from below upwards."""
    below: dict[int, list[int]] = {}
    for one, two, up, down in rivals.pairs:
        if up == 0 < down:
            below.setdefault(two, []).append(one)
        elif down == 0 < up:
            below.setdefault(one, []).append(two)
    try:
        TopologicalSorter(below).prepare()
    except CycleError:
        return True
    return False
