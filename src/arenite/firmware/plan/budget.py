"""A model's kernels within a budget: which layers go row by row, which kernels they have.

Every layer may go alone, with any kernel that is offered for it, or in a group. What is fastest in
so much memory is a shortest path over such segments; then, where memory is left, groups make more
rows at a time. Time is estimated (``pace``), memory is planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Network, Value
from arenite.firmware.plan.estimate import cycles, group_cycles
from arenite.firmware.plan.layout import Inputs, layout_of
from arenite.firmware.plan.program import Plan
from arenite.firmware.streaming.casting import Parts, group_of
from arenite.firmware.streaming.cuts import (
    Lives,
    Segment,
    bytes_alone,
    bytes_of_group,
    cheapest,
)
from arenite.firmware.streaming.group import Kernels

Least = Literal["time", "ram", "flash"]
#: Other ways to do a layer that is done by a work.
Offers = Callable[[AnyLayer, Work], Sequence[Work]]

#: The least memory is looked for among programs that take no more than so many times the cycles.
SLOWER = 1.3
#: Rows that a layer of a group may make at a time.
_STEPS = (1, 2, 4)
#: Bytes of memory that are not told apart where the least is looked for.
_NEAR = 16
#: What a byte of constants weighs against cycles where flash is to be small.
_BYTE = 1e6


@dataclass(frozen=True)
class Budget:
    """Limits of a firmware's memory, and which of its costs to minimise.

    Attributes:
        ram: Bytes of the arena; None is no limit.
        flash: Bytes of constants; None is what layers need with the kernels they have.
        least: What shall be small; None is time, with the kernels that layers have. The least
            memory is that of programs which take at most :data:`SLOWER` times the cycles of the
            fastest; a limit of ``ram`` may take more.
        inputs: What becomes of the model's inputs.
        icache: Bytes of the processor's cache of instructions, which loops shall fit into; None is
            any number.
        tflm: Bytes of TFLM's arena of the same model: where neither ``ram``, time nor ``flash`` for
            speed is asked for, layers go row by row before the arena takes more than that, as far
            as there is a way; None where that is not known.
    """

    ram: int | None = None
    flash: int | None = None
    least: Least | None = None
    inputs: Inputs = "overwritten"
    icache: int | None = None
    tflm: int | None = None

    @property
    def most(self) -> int | None:
        """Bytes that the arena shall not exceed for no good."""
        asks_for_speed = self.least == "time" or (self.flash is not None and self.least is None)
        return None if self.ram is not None or asks_for_speed else self.tflm


def plan_within(
    network: Network, works: Sequence[Work], budget: Budget, kernels: Kernels, offers: Offers
) -> Plan:
    """The plan of a network's layers.

    Raises:
        ValueError: Nothing takes as little memory, or rows cannot be delivered one by one; says
            what the smallest takes, or why.
    """
    return _Choice(network, works, budget, kernels, offers).plan()


class _Choice:
    def __init__(
        self,
        network: Network,
        works: Sequence[Work],
        budget: Budget,
        kernels: Kernels,
        offers: Offers,
    ) -> None:
        self._network, self._works, self._budget = network, list(works), budget
        self._offers, self._parts = offers, Parts(kernels)
        self._count = len(network.layers)
        always = network.inputs if budget.inputs == "kept" else ()
        self._fed: Sequence[Value] = network.inputs if budget.inputs == "rows" else ()
        self._lives = Lives(network, always, self._fed)
        own = [_constants([work]) for work in works]
        self._is_tight = budget.flash is not None and budget.flash < sum(own)
        self._least = [
            min([least, *(_constants([work]) for work in self._others(layer))])
            for layer, least in zip(network.layers, own, strict=True)
        ]

    @cached_property
    def _alone(self) -> list[Segment]:
        return [one for layer in self._network.layers for one in self._ways(layer)]

    def plan(self) -> Plan:
        plan, most = self._asked(), self._budget.most
        if most is None or self._fits(plan, most):
            return plan
        segments = [*self._alone, *self._smaller(), *self._groups()]
        try:
            return self._within(segments, most)
        except _TooLittleError:  # no way at all: the usual one, and who exports says so
            return plan

    def _asked(self) -> Plan:
        budget = self._budget
        if (budget.ram, budget.flash, budget.least) == (None, None, None) and not self._fed:
            return Plan(self._works)
        if self._fed:
            self._check_delivery()
        if budget.least != "ram" and not self._fed:
            plan = self._made(self._cheapest(self._alone, float("inf")))
            if budget.ram is None or self._size(plan) <= budget.ram:
                return plan
        segments = [*self._alone, *self._groups()]
        if cheapest(segments, self._count, float("inf")) is None:
            raise ValueError(
                "input: rows cannot be delivered: the layers that take them do not go together"
            )
        if budget.ram is not None:
            return self._limited(segments, budget.ram)
        if budget.least == "ram":
            return self._smallest(segments)
        return self._made(self._cheapest(segments, float("inf")))

    # -- segments

    def _ways(self, layer: AnyLayer) -> Iterator[Segment]:
        """A layer alone, with every kernel that there is for it."""
        if any(value in self._fed for value in layer.present()):
            return
        for work in (self._works[layer.index], *self._others(layer)):
            yield self._way(layer, work)

    def _way(self, layer: AnyLayer, work: Work) -> Segment:
        number = layer.index
        more = max(_constants([work]) - self._least[number], 0)
        size, cost = bytes_alone(self._lives, layer, work), self._cost(cycles(layer, work), more)
        return Segment(number, number + 1, size, cost, more, work=work)

    def _smaller(self) -> Iterator[Segment]:
        """Layers alone by kernels that take less scratch memory than their own."""
        for layer, own in zip(self._network.layers, self._works, strict=True):
            if any(value in self._fed for value in layer.present()):
                continue
            for work in self._offers(layer, own):
                less = _scratch(own) - _scratch(work)
                if less > 0:
                    why = f"its other kernels take {less:,} bytes of scratch memory more"
                    yield self._way(layer, replace(work, reason=work.reason or why))

    def _others(self, layer: AnyLayer) -> Sequence[Work]:
        """Other ways to do a layer, where constants matter; smaller ones where they must be."""
        budget, own = self._budget, self._works[layer.index]
        if budget.flash is None and budget.least not in ("time", "flash"):
            return []
        small = self._is_tight or budget.least == "flash"
        found = self._offers(layer, own)
        return [one for one in found if small or _constants([one]) > _constants([own])]

    def _cost(self, time: float, more: int) -> float:
        return time + (_BYTE * more if self._budget.least == "flash" else 0.0)

    def _groups(self) -> Iterator[Segment]:
        """All groups of which every layer makes as many rows at a time."""
        most = max((one.bytes for one in self._alone), default=0) or float("inf")
        for first in range(self._count):
            for end in range(first + 1, self._count + 1):
                try:
                    slow = self._segment(first, [1] * (end - first))
                except UnsupportedError:
                    break
                if slow.group is not None and slow.group.bytes > most:
                    break
                if self._delivers(first, end):
                    yield slow
                    yield from (self._segment(first, [n] * (end - first)) for n in _STEPS[1:])

    def _segment(self, first: int, steps: Sequence[int]) -> Segment:
        network = self._network
        by_rows = bool(self._fed)
        group = group_of(network, first, steps, self._parts, by_rows=by_rows)
        end = first + len(steps)
        works = [work for n in range(first, end) for work in group.member_of(n).works[:1]]
        more = _constants(works) - sum(self._least[first:end])
        size, time = bytes_of_group(self._lives, group), group_cycles(group)
        return Segment(first, end, size, self._cost(time, more), more, group=group)

    def _delivers(self, first: int, end: int) -> bool:
        """Whether rows that are delivered are all taken in one group."""
        takers = {
            layer.index
            for layer in self._network.layers
            if any(value in self._fed for value in layer.present())
        }
        inside = {number for number in takers if first <= number < end}
        return not inside or inside == takers

    def _check_delivery(self) -> None:
        network = self._network
        if len(network.inputs) != 1:
            raise ValueError(f"input: rows are delivered of one input, got {len(network.inputs)}")
        (value,) = network.inputs
        takers = [layer for layer in network.layers if value in layer.present()]
        for layer in takers:
            try:
                self._parts.reaches(layer)
            except UnsupportedError as error:
                raise ValueError(
                    f"input: rows cannot be delivered: layer {layer.index}, {layer.name}: {error}"
                ) from None
        if not takers or value in network.outputs:
            raise ValueError("input: rows cannot be delivered: the input is an output")

    # -- choices

    def _cheapest(self, segments: Sequence[Segment], ram: float) -> list[Segment]:
        """The best way in so much memory, with groups as fast as they may be there."""
        way = cheapest(segments, self._count, ram, self._room)
        if way is None:
            raise _TooLittleError
        return [self._quickened(one, ram) for one in way]

    @property
    def _room(self) -> int | None:
        """Bytes of constants beyond the least there are; None is no limit."""
        flash = self._budget.flash
        return None if flash is None else flash - sum(self._least)

    def _least_bytes(self, segments: Sequence[Segment]) -> float:
        """The least memory in which there is a way, within the limit of flash."""
        sizes = sorted({float(one.bytes) for one in segments})
        low, high = 0, len(sizes) - 1
        while low < high:
            middle = (low + high) // 2
            if cheapest(segments, self._count, sizes[middle], self._room) is None:
                low = middle + 1
            else:
                high = middle
        return sizes[low]

    def _quickened(self, one: Segment, ram: float) -> Segment:
        """More rows at a time, layer by layer, the one that saves most for a byte first."""
        while one.group is not None:
            faster = [
                two for two in self._steps_up(one) if two.bytes <= ram and two.cost < one.cost
            ]
            if not faster:
                break
            one = max(faster, key=partial(_gain, one))
        return one

    def _steps_up(self, one: Segment) -> Iterator[Segment]:
        assert one.group is not None
        steps = one.group.steps
        for number, step in enumerate(steps):
            more = next((n for n in _STEPS if n > step), None)
            if more is not None:
                yield self._segment(one.first, [*steps[:number], more, *steps[number + 1 :]])

    def _limited(self, segments: Sequence[Segment], ram: int) -> Plan:
        try:
            return self._within(segments, ram)
        except _TooLittleError:
            raise self._refusal(segments, ram) from None

    def _within(self, segments: Sequence[Segment], ram: int) -> Plan:
        limit = float(ram)
        while (size := self._size(plan := self._made(self._cheapest(segments, limit)))) > ram:
            limit = min(limit, size) - max(size - ram, 16)
        return plan

    def _refusal(self, segments: Sequence[Segment], ram: int) -> ValueError:
        way = self._cheapest(segments, self._least_bytes(segments))
        size, time = self._size(self._made(way)), _total(way)
        fastest = _total(self._cheapest(segments, float("inf")))
        return ValueError(
            f"ram: expected at least {size} bytes, got {ram}: the smallest program takes about "
            f"{time / fastest:.2f} times the cycles of the fastest"
        )

    def _smallest(self, segments: Sequence[Segment]) -> Plan:
        """The least memory in which it takes no more than :data:`SLOWER` times as long."""
        allowed = SLOWER * _total(self._cheapest(segments, float("inf")))
        low = self._least_bytes(segments)
        high = _height(segments)
        best = self._cheapest(segments, low)
        if _total(best) <= allowed:
            return self._made(best)
        best = self._cheapest(segments, high)
        while high - low > _NEAR:
            middle = (low + high) // 2
            way = self._cheapest(segments, middle)
            if _total(way) > allowed:
                low = middle
            else:
                high, best = min(middle, _height(way)), way
        return self._made(best)

    # -- plans

    def _made(self, way: Sequence[Segment]) -> Plan:
        works, groups = list(self._works), []
        for one in way:
            if one.work is not None:
                works[one.first] = one.work
            if one.group is not None:
                groups.append(one.group)
                for number in range(one.first, one.end):
                    works[number] = next(iter(one.group.member_of(number).works), works[number])
        return Plan(works, groups)

    def _fits(self, plan: Plan, most: int) -> bool:
        """Whether so many bytes do; the fast planner says so of most plans."""
        return self._size(plan, "greedy") <= most or self._size(plan) <= most

    def _size(self, plan: Plan, planner: str = "optimal") -> int:
        inputs = self._budget.inputs
        return layout_of(self._network, plan.works, planner, plan.groups, inputs).size


class _TooLittleError(Exception):
    """There is no way in so much memory."""


def _gain(slow: Segment, fast: Segment) -> float:
    """Cycles that are saved for a byte."""
    return (slow.cost - fast.cost) / max(fast.bytes - slow.bytes, 1)


def _total(way: Sequence[Segment]) -> float:
    return sum(one.cost for one in way)


def _height(way: Sequence[Segment]) -> float:
    return max(float(one.bytes) for one in way)


def _scratch(work: Work) -> int:
    return sum(one.bytes for one in work.scratch)


def _constants(works: Sequence[Work]) -> int:
    return sum(constant.values.nbytes for work in works for constant in work.constants)
