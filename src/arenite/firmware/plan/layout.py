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
from arenite.firmware.plan.places import ALIGNMENT, Placed, placed
from arenite.firmware.plan.story import Block, values_of
from arenite.firmware.streaming.group import Group
from arenite.memory import planners
from arenite.memory.lower_bound import lower_bound
from arenite.memory.problem import Buffer, Problem, Separation

#: More than any tensor has bytes.
_FAR = 1 << 40

#: What becomes of the model's inputs: they may be written over; so they may, but by no output;
#: they stay; or their rows are delivered when they are needed and lie nowhere as a whole.
Inputs = Literal["overwritten", "apart", "kept", "rows"]


@dataclass(frozen=True)
class Layout:
    """Offsets in the arena.

    Attributes:
        works: What is left to do of every layer, where tensors lie in their places.
        tensors: By tensor index, of all that are no constants.
        scratch: Of each layer's scratch buffers, in order.
        states: Of what kernels keep.
        blocks: Of each group's rings, sums and scratch memory.
        size: Bytes of the arena.
    """

    works: tuple[Work, ...]
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
    *,
    called: bool = False,
) -> Layout:
    """Plan the arena; the plan is validated. Works of layers in groups do not count.

    Moves are spared as far as that takes no more memory. Of a subgraph that is ``called`` none is,
    and what its kernels keep lies elsewhere.

    Raises:
        PlanError: The planner found no plan.
        ValueError: There is no planner of that name, or an output is an input's own bytes that
            shall lie apart.
    """
    plain = _memory(network, Placed(tuple(works)), groups, inputs, called=called)
    memory = plain if called else _spared(network, works, groups, inputs, plain)
    solution = planners.plan(memory.problem, planner)
    if memory is not plain and solution.size > lower_bound(plain.problem):
        other = planners.plan(plain.problem, planner)
        if other.size < solution.size:
            memory, solution = plain, other
    places = {id(span): at for span, at in zip(memory.shared, solution.offsets, strict=False)}
    rest = iter(solution.offsets[len(memory.shared) :])
    scratch = tuple(
        () if index in memory.grouped else tuple(next(rest) for _ in work.scratch)
        for index, work in enumerate(memory.works)
    )
    return Layout(
        memory.works,
        {index: places[id(one.span)] + one.offset for index, one in memory.tensors.items()},
        scratch,
        {state: places[id(one.span)] + one.offset for state, one in memory.states.items()},
        tuple(places[id(block)] for block in memory.blocks),
        -(-solution.size // 16) * 16,
    )


def alive_bytes(network: Network, works: Sequence[Work]) -> int:
    """Bytes that are needed at once, at most, where every layer goes alone: no plan has fewer."""
    plain = _memory(network, Placed(tuple(works)), (), "overwritten")
    return lower_bound(_spared(network, works, (), "overwritten", plain).problem)


class _Memory(NamedTuple):
    """A planner's problem, and the owners of its first buffers; scratch buffers follow them."""

    works: tuple[Work, ...]
    problem: Problem
    shared: list[_Span]
    tensors: dict[int, _Spot]
    states: dict[State, _Spot]
    blocks: list[_Span]
    grouped: set[int]


def _spared(
    network: Network,
    works: Sequence[Work],
    groups: Sequence[Group],
    inputs: Inputs,
    plain: _Memory,
) -> _Memory:
    """Memory in which as many moves are spared as that takes no more bytes than ``plain``."""
    found = placed(network, works, groups, inputs)
    most = lower_bound(plain.problem) if found.blocks else 0
    while found.blocks:
        memory = _memory(network, found, groups, inputs)
        if lower_bound(memory.problem) <= most:
            return memory
        found = found.without(max(found.blocks, key=lambda block: block.more))
    return plain


def _memory(
    network: Network,
    left: Placed,
    groups: Sequence[Group],
    inputs: Inputs,
    *,
    called: bool = False,
) -> _Memory:
    works = left.works
    found = _Spans(network, groups, inputs)
    if inputs == "apart":
        found.keep_apart(works)
    found.add_blocks(left.blocks)
    grouped = {number for group in groups for number in range(group.first, group.end)}
    alone = [work for number, work in enumerate(works) if number not in grouped]
    found.add_all(works)
    states = {
        state: _Spot(_always(network, state.bytes, state.alignment))
        for work in alone
        for state in (() if called else work.states)
    } | found.states
    blocks = [_Span(group.bytes, group.first, group.end) for group in groups]
    spots = (*found.spots.values(), *states.values())
    shared = list({id(span): span for span in (*(one.span for one in spots), *blocks)}.values())
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
    return _Memory(works, problem, shared, found.spots, states, blocks, grouped)


def _always(network: Network, size: int, alignment: int) -> _Span:
    """Memory that is taken before the first layer and after the last."""
    return _Span(size, 0, len(network.layers) + 1, alignment)


class _Spot(NamedTuple):
    """Where a tensor lies: in which memory, and how far behind its beginning."""

    span: _Span
    offset: int = 0


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
        self.spots: dict[int, _Spot] = {}
        self.states: dict[State, _Spot] = {}
        for value in network.variables():
            self.spots[value.index] = _Spot(_always(network, value.nbytes, _alignment(value)))
        for value in network.inputs if inputs != "rows" else ():
            end = max(self._last.get(value.index, 0), 0) + 1
            span = _Span(value.nbytes, 0, end, _alignment(value))
            self.spots.setdefault(value.index, _Spot(span))

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
            same = not grouped and work.routine is None and work.in_place
            if same and layer.output.index in self._apart:
                self._apart.add(layer.input(work.in_place[0]).index)
        for value in self._network.inputs:
            if value.index in self._apart:
                raise ValueError(
                    f"input: {value.name!r} cannot lie apart: its own bytes are an output"
                )

    def add_blocks(self, blocks: Sequence[Block]) -> None:
        """Tensors that lie in their places; what is behind them is theirs as long as any lives."""
        first = {value.index: 0 for value in self._network.inputs}
        for layer in self._network.layers:
            for value in layer.outputs:
                first[value.index] = 0 if value.index in self._apart else layer.index
        values = {value.index: value for value in values_of(self._network)}
        for block in blocks:
            span = _always(self._network, block.bytes, ALIGNMENT)
            tensors = [values[one] for one in block.offsets if not isinstance(one, State)]
            if not block.states:
                span.begin = min(first[value.index] for value in tensors)
                span.end = max(self._end(value, first[value.index]) for value in tensors)
            span.alignment = max([*map(_alignment, tensors), *(s.alignment for s in block.states)])
            for one, offset in block.offsets.items():
                if isinstance(one, State):
                    self.states[one] = _Spot(span, offset)
                else:
                    self.spots[one] = _Spot(span, offset)

    def add_all(self, works: Sequence[Work]) -> None:
        """Add a buffer for every tensor that a layer writes."""
        in_blocks = set(self.spots) - {value.index for value in self._network.inputs}
        for layer, work in zip(self._network.layers, works, strict=True):
            group = self._group.get(layer.index)
            if group is None:
                if work.read_room:
                    self._grow(layer.input(0), work.read_room)
                for value in layer.outputs:
                    if value.index not in in_blocks:
                        self._add(layer, work, value)
            elif layer.index == group.first:
                self._add_group(group)
        for layer, work in zip(self._network.layers, works, strict=True):
            self._align(layer, work.alignment)

    def _align(self, layer: AnyLayer, alignment: int) -> None:
        for value in (*layer.inputs, *layer.outputs) if alignment else ():
            if value is not None and value.index in self.spots:
                span = self.spots[value.index].span
                span.alignment = max(span.alignment, alignment)

    def _add(self, layer: AnyLayer, work: Work, value: Value) -> None:
        """An output: over an input where it may lie there."""
        if work.routine is None and work.in_place:
            spot = self.spots[layer.input(work.in_place[0]).index]  # even if others still read it
            self._lie(value, spot, value.nbytes + work.room, layer.index)
            return
        size = value.nbytes + work.room
        inputs = (layer.inputs[i] for i in work.in_place if value.index not in self._apart)
        free = [
            spot
            for x in inputs
            if x is not None and self._may_go(x, layer.index)
            for spot in [self.spots[x.index]]
            if self._is_alone(spot, size, layer)
        ]
        fits = (one for one in free if one.offset + size <= one.span.size or not work.grows)
        over = next(fits, None)
        if over is not None:
            self._lie(value, over, size, layer.index)
            return
        span = self._new(value, size, layer.index, layer.index)
        alone = (one for one in free if self._is_alone(one, _FAR, layer))
        self.near += [_Near(one.span, span, one.offset) for one in alone]

    def _lie(self, value: Value, spot: _Spot, size: int, moment: int) -> None:
        """Let a tensor lie where something else did."""
        span = spot.span
        span.size = max(span.size, spot.offset + size)
        span.end = max(span.end, self._end(value, moment))
        span.alignment = max(span.alignment, _alignment(value))
        self.spots[value.index] = spot

    def _is_alone(self, spot: _Spot, size: int, layer: AnyLayer) -> bool:
        """Whether so many bytes there meet no other input in the same memory, nor lie crooked."""
        others = (
            (self.spots[x.index].offset, x.nbytes)
            for x in layer.present()
            if x.index in self.spots and self.spots[x.index].span is spot.span
        )
        alignment = max(map(_alignment, layer.outputs))
        return spot.offset % alignment == 0 and all(
            at == spot.offset or at >= spot.offset + size or at + used <= spot.offset
            for at, used in others
        )

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
                _Near(new, self.spots[x.index].span, group.distance(result, store))
                for store, x in outside
                if self._may_go(x, group.end - 1)
            ]

    def _new(self, value: Value, size: int, first: int, last: int) -> _Span:
        """Memory for what is written from moment ``first`` to ``last``."""
        begin = 0 if value.index in self._apart else first
        span = _Span(size, begin, self._end(value, last), _alignment(value))
        self.spots[value.index] = _Spot(span)
        return span

    def _grow(self, value: Value, room: int) -> None:
        spot = self.spots[value.index]
        spot.span.size = max(spot.span.size, spot.offset + value.nbytes + room)

    def _end(self, value: Value, moment: int) -> int:
        return max(self._last.get(value.index, moment), moment) + 1

    def _may_go(self, value: Value, moment: int) -> bool:
        """Whether nobody reads a tensor's memory after a moment."""
        if value.is_constant or self._last[value.index] != moment:
            return False
        return self.spots[value.index].span.end == moment + 1


def _alignment(value: Value) -> int:
    return max(ALIGNMENT, value.type.bits // 8)
