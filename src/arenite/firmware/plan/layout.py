"""Where tensors and scratch memory lie in a firmware's arena.

Unlike TFLM's arena there is nothing else in it: parameters are in the code, weights in flash.
Outputs lie over inputs wherever a kernel allows it and nobody reads the input afterwards; where
they fit, the two are one buffer to the planner, and where outputs grow, two that may overlap. The
model's inputs may be overwritten as well. What keeps its bytes between inferences, variables and
the states of kernels, has memory that nothing else lies in.

A group that runs row by row is one moment: its rings and scratch memory are one buffer, and a
result of it may begin below an input that dies there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from arenite.firmware.network.kernel import State, Work
from arenite.firmware.network.layers import AnyLayer, Network, Value
from arenite.firmware.streaming.group import Group
from arenite.memory import planners
from arenite.memory.lower_bound import lower_bound
from arenite.memory.problem import Buffer, Problem, Separation

#: The alignment of every buffer: kernels load words.
ALIGNMENT = 4

#: What becomes of the model's inputs: they may be written over; so they may, but by no output;
#: they stay; or their rows are delivered when they are needed and lie nowhere as a whole.
Inputs = Literal["overwritten", "apart", "kept", "rows"]


@dataclass(frozen=True)
class Layout:
    """Offsets in the arena.

    Attributes:
        tensors: By tensor index, of all that are no constants.
        scratch: Of each layer's scratch buffers, in order.
        states: Of what kernels keep.
        blocks: Of each group's rings, sums and scratch memory.
        size: Bytes of the arena.
    """

    tensors: dict[int, int]
    scratch: tuple[tuple[int, ...], ...]
    states: dict[State, int]
    blocks: tuple[int, ...]
    size: int


@dataclass
class _Span:
    """Memory that one tensor, or several in turn, lie in."""

    size: int
    begin: int
    end: int
    alignment: int = ALIGNMENT

    def buffer(self) -> Buffer:
        return Buffer(self.size, self.begin, self.end, self.alignment)


def layout_of(
    network: Network,
    works: Sequence[Work],
    planner: str = "optimal",
    groups: Sequence[Group] = (),
    inputs: Inputs = "overwritten",
) -> Layout:
    """Plan the arena; the plan is validated. Works of layers in groups do not count.

    Raises:
        PlanError: The planner found no plan.
        ValueError: There is no planner of that name, or an output is an input's own bytes that
            shall lie apart.
    """
    memory = _memory(network, works, groups, inputs)
    solution = planners.plan(memory.problem, planner)
    places = {id(span): at for span, at in zip(memory.shared, solution.offsets, strict=False)}
    rest = iter(solution.offsets[len(memory.shared) :])
    scratch = tuple(
        () if index in memory.grouped else tuple(next(rest) for _ in work.scratch)
        for index, work in enumerate(works)
    )
    return Layout(
        {index: places[id(span)] for index, span in memory.tensors.items()},
        scratch,
        {state: places[id(span)] for state, span in memory.states.items()},
        tuple(places[id(block)] for block in memory.blocks),
        -(-solution.size // 16) * 16,
    )


def alive_bytes(network: Network, works: Sequence[Work]) -> int:
    """Bytes that are needed at once, at most, where every layer goes alone: no plan has fewer."""
    return lower_bound(_memory(network, works, (), "overwritten").problem)


class _Memory(NamedTuple):
    """What a planner gets, and whose the first buffers of it are; scratch memory comes behind."""

    problem: Problem
    shared: list[_Span]
    tensors: dict[int, _Span]
    states: dict[State, _Span]
    blocks: list[_Span]
    grouped: set[int]


def _memory(
    network: Network, works: Sequence[Work], groups: Sequence[Group], inputs: Inputs
) -> _Memory:
    found = _Spans(network, groups, inputs)
    if inputs == "apart":
        found.keep_apart(works)
    grouped = {number for group in groups for number in range(group.first, group.end)}
    alone = [work for number, work in enumerate(works) if number not in grouped]
    found.add_all(works)
    states = {
        state: _always(network, state.bytes, state.alignment)
        for work in alone
        for state in work.states
    }
    blocks = [_Span(group.bytes, group.first, group.end) for group in groups]
    everything = (*found.spans.values(), *states.values(), *blocks)
    shared = list({id(span): span for span in everything}.values())
    number = {id(span): i for i, span in enumerate(shared)}
    requests = [
        _Span(piece.bytes, index, index + 1, piece.alignment)
        for index, work in enumerate(works)
        if index not in grouped
        for piece in work.scratch
    ]
    buffers = tuple(span.buffer() for span in (*shared, *requests))
    separations = tuple(
        Separation(number[id(one.lower)], number[id(one.upper)], one.distance) for one in found.near
    )
    problem = Problem(buffers, separations)
    return _Memory(problem, shared, found.spans, states, blocks, grouped)


def _always(network: Network, size: int, alignment: int) -> _Span:
    """Memory that is taken before the first layer and after the last."""
    return _Span(size, 0, len(network.layers) + 1, alignment)


class _Near(NamedTuple):
    """``upper`` may begin so many bytes behind the beginning of ``lower``."""

    lower: _Span
    upper: _Span
    distance: int


class _Spans:
    """The memory of every tensor; tensors in the same place have the same one."""

    def __init__(self, network: Network, groups: Sequence[Group], inputs: Inputs) -> None:
        self._network = network
        self._group = {n: group for group in groups for n in range(group.first, group.end)}
        self._last = self._last_uses(kept=inputs == "kept")
        #: What lies in an output's memory, which nothing else does where outputs are apart.
        self._apart: set[int] = set()
        self.near: list[_Near] = []
        self.spans: dict[int, _Span] = {}
        for value in network.variables():
            self.spans[value.index] = _always(network, value.nbytes, _alignment(value))
        for value in network.inputs if inputs != "rows" else ():
            end = max(self._last.get(value.index, 0), 0) + 1
            self.spans.setdefault(value.index, _Span(value.nbytes, 0, end, _alignment(value)))

    def _last_uses(self, *, kept: bool) -> dict[int, int]:
        """The last layer that reads each tensor, or the last one of its group.

        The model's outputs are read after all layers, and so are inputs that are kept.
        """
        last = {
            value.index: self._moment(layer)
            for layer in self._network.layers
            for value in layer.inputs
            if value is not None
        }
        after = (*self._network.outputs, *(self._network.inputs if kept else ()))
        return last | {value.index: len(self._network.layers) for value in after}

    def _moment(self, layer: AnyLayer) -> int:
        group = self._group.get(layer.index)
        return layer.index if group is None else group.end - 1

    def keep_apart(self, works: Sequence[Work]) -> None:
        """Give outputs memory of their own from the beginning on.

        Raises:
            ValueError: An output is an input's own bytes.
        """
        self._apart = {value.index for value in self._network.outputs}
        for layer, work in reversed(list(zip(self._network.layers, works, strict=True))):
            grouped = layer.index in self._group
            if not grouped and work.routine is None and layer.output.index in self._apart:
                self._apart.add(layer.input(work.in_place[0]).index)
        for value in self._network.inputs:
            if value.index in self._apart:
                raise ValueError(
                    f"input: {value.name!r} cannot lie apart: its own bytes are an output"
                )

    def add_all(self, works: Sequence[Work]) -> None:
        """What all layers write."""
        for layer, work in zip(self._network.layers, works, strict=True):
            group = self._group.get(layer.index)
            if group is None:
                self._add(layer, work)
            elif layer.index == group.first:
                self._add_group(group)

    def _add(self, layer: AnyLayer, work: Work) -> None:
        if work.read_room:
            self._grow(layer.input(0), work.read_room)
        for value in layer.outputs:
            if value.is_variable:
                continue
            size, alignment = value.nbytes + work.room, _alignment(value)
            free = (
                []
                if value.index in self._apart
                else [
                    self.spans[x.index]
                    for x in (layer.inputs[i] for i in work.in_place)
                    if x is not None and self._may_go(x, layer.index)
                ]
            )
            over = next((span for span in free if size <= span.size or not work.grows), None)
            if work.routine is None:  # the same bytes, even if others still read the input
                over = self.spans[layer.input(work.in_place[0]).index]
            if over is None:
                new = self._new(value, size, layer.index, layer.index)
                self.near += [_Near(span, new, 0) for span in free]
                continue
            over.size, over.end = max(over.size, size), max(over.end, self._end(value, layer.index))
            over.alignment = max(over.alignment, alignment)
            self.spans[value.index] = over

    def _add_group(self, group: Group) -> None:
        outside = [(store, group.values[store]) for store in group.outside]
        for store, value in outside:
            self._grow(value, group.read_room(store))
        for result in group.results:
            value = group.values[result]
            size = value.nbytes + group.room(result)
            new = self._new(value, size, group.first, group.end - 1)
            if value.index in self._apart:
                continue
            self.near += [
                _Near(new, self.spans[x.index], group.distance(result, store))
                for store, x in outside
                if self._may_go(x, group.end - 1)
            ]

    def _new(self, value: Value, size: int, first: int, last: int) -> _Span:
        """Memory for what is written from moment ``first`` to ``last``."""
        begin = 0 if value.index in self._apart else first
        span = _Span(size, begin, self._end(value, last), _alignment(value))
        self.spans[value.index] = span
        return span

    def _grow(self, value: Value, room: int) -> None:
        span = self.spans[value.index]
        span.size = max(span.size, value.nbytes + room)

    def _end(self, value: Value, moment: int) -> int:
        return max(self._last.get(value.index, moment), moment) + 1

    def _may_go(self, value: Value, moment: int) -> bool:
        """Whether nobody reads a tensor's memory after a moment."""
        if value.is_constant or self._last[value.index] != moment:
            return False
        return self.spans[value.index].end == moment + 1


def _alignment(value: Value) -> int:
    return max(ALIGNMENT, value.type.bits // 8)
