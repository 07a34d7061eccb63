"""Where a chain of layers is cut: which layers go row by row together, and which alone.

A segment is a layer by itself or a group. While it runs, memory holds what it takes and what lives
through it; that is known without a plan of the whole. So the fastest way through all layers in so
many bytes is a shortest path, and the least number of bytes a path whose largest step is smallest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Network, Value
from arenite.firmware.streaming.group import Group

#: Bytes of constants that are told apart.
GRAIN = 64


@dataclass(frozen=True, eq=False)
class Segment:
    """Layers ``first`` to before ``end``: a group, or one layer done by ``work``.

    Attributes:
        first: Number of the first layer.
        end: Number of the layer after the last one.
        bytes: Memory while it runs, with what lives through it.
        cost: What is to be small in all: cycles.
        constants: Bytes of its constants.
        group: How it goes row by row.
        work: How it goes alone.
    """

    first: int
    end: int
    bytes: int
    cost: float
    constants: int
    group: Group | None = None
    work: Work | None = None


def cheapest(
    segments: Sequence[Segment], layers: int, ram: float, flash: int | None = None
) -> list[Segment] | None:
    """The segments that cost least in all, none of which takes more than ``ram`` bytes.

    Their constants take at most ``flash`` bytes together, if that is said. None if there is no
    such way through all layers.

    >>> a, b = Segment(0, 1, 900, 5, 0), Segment(1, 2, 100, 5, 0)
    >>> both = Segment(0, 2, 300, 40, 0)
    >>> [cheapest([a, b, both], 2, ram) == way for ram, way in ((900, [a, b]), (300, [both]))]
    [True, True]
    >>> cheapest([a, b, both], 2, 200) is None
    True
    """
    slots = 0 if flash is None else max(flash, 0) // GRAIN
    cost = np.full((layers + 1, slots + 1), np.inf)
    cost[0] = 0
    taken = np.full((layers + 1, slots + 1), -1)
    order = sorted(range(len(segments)), key=lambda number: segments[number].first)
    for number in order:
        one = segments[number]
        size = 0 if flash is None else max(-(-one.constants // GRAIN), 0)
        if one.bytes > ram or size > slots:
            continue
        total = np.full(slots + 1, np.inf)
        total[size:] = cost[one.first, : slots + 1 - size] + one.cost
        better = total < cost[one.end]
        cost[one.end][better], taken[one.end][better] = total[better], number
    if not np.isfinite(cost[layers, slots]):
        return None
    return list(_way_back(segments, taken, layers, slots, counted=flash is not None))[::-1]


def _way_back(
    segments: Sequence[Segment], taken: np.ndarray[Any, Any], end: int, slot: int, *, counted: bool
) -> Iterator[Segment]:
    while end > 0:
        one = segments[taken[end, slot]]
        yield one
        end, slot = one.first, slot - (max(-(-one.constants // GRAIN), 0) if counted else 0)


class Lives:
    """Lifetimes of tensors, in layers.

    Args:
        network: The layers.
        always: Tensors that are there from the beginning to the end.
        never: Tensors that are nowhere as a whole.
    """

    def __init__(self, network: Network, always: Sequence[Value], never: Sequence[Value]) -> None:
        self._layers = network.layers
        self.values: dict[int, Value] = {}
        self._from: dict[int, int] = {}
        self._last: dict[int, int] = {}
        end = len(network.layers)
        for value in network.inputs:
            self._add(value, 0)
        for layer in network.layers:
            for value in layer.present():
                self._add(value, 0)
                self._last[value.index] = layer.index
            for value in layer.outputs:
                self._add(value, layer.index)
        for value in (*network.outputs, *always, *network.variables()):
            self._last[value.index] = end
        for value in never:
            self.values.pop(value.index, None)

    def _add(self, value: Value, begin: int) -> None:
        self.values.setdefault(value.index, value)
        self._from.setdefault(value.index, begin)
        self._last.setdefault(value.index, begin)

    def dies(self, value: Value, end: int) -> bool:
        """Whether nobody reads a tensor from layer ``end`` on."""
        return self._last[value.index] < end

    def around(self, first: int, end: int, own: Sequence[Value]) -> int:
        """Bytes of what lives while layers run, without their ``own`` inputs and results."""
        known = {value.index for value in own}
        return sum(
            _up(value.nbytes)
            for index, value in self.values.items()
            if index not in known and self._from[index] < first and self._last[index] >= end
        )


def bytes_alone(lives: Lives, layer: AnyLayer, work: Work) -> int:
    """Memory while a layer runs by itself."""
    number = layer.index
    inputs = {v.index: v for v in layer.present() if v.index in lives.values}
    over = [
        value.index
        for value in (layer.inputs[i] for i in work.in_place)
        if value is not None and value.index in inputs and lives.dies(value, number + 1)
    ]
    outputs = [value for value in layer.outputs if not value.is_variable]
    own = (*inputs.values(), *layer.outputs)
    sizes = {index: _up(value.nbytes + work.read_room) for index, value in inputs.items()}
    total = sum(sizes.values()) + sum(_up(one.bytes) for one in work.scratch)
    written = sum(_up(value.nbytes + work.room) for value in outputs)
    if work.routine is None:
        written = 0
    elif over:
        total -= sizes[over[0]]
        written = max(written, sizes[over[0]])
    return total + written + lives.around(number, number + 1, own)


def bytes_of_group(lives: Lives, group: Group) -> int:
    """Memory while a group runs."""
    outside = {store: group.values[store] for store in group.outside}
    results = {store: group.values[store] for store in group.results}
    sizes = {s: _up(value.nbytes + group.read_room(s)) for s, value in outside.items()}
    own = (*outside.values(), *results.values())
    total = sum(sizes.values()) + group.bytes + lives.around(group.first, group.end, own)
    dying = [store for store, value in outside.items() if lives.dies(value, group.end)]
    for result, value in results.items():
        size = _up(value.nbytes + group.room(result))
        if not dying:
            total += size
            continue
        under = dying.pop()
        total += max(sizes[under] + group.distance(result, under), size) - sizes[under]
    return total


def _up(size: int) -> int:
    return -(-size // 4) * 4
