"""Where tensors and scratch memory lie in a firmware's arena.

Unlike TFLM's arena there is nothing else in it: parameters are in the code, weights in flash.
Outputs lie over inputs wherever a kernel allows it and nobody reads the input afterwards; where
they fit, the two are one buffer to the planner, and where outputs grow, two that may overlap. The
model's inputs may be overwritten as well. What keeps its bytes between inferences, variables and
the states of kernels, has memory that nothing else lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arenite.firmware.layers import Network, Value
from arenite.firmware.work import State, Work
from arenite.memory import planners
from arenite.memory.problem import Buffer, Problem, Separation

#: The alignment of every buffer: kernels load words.
ALIGNMENT = 4


@dataclass(frozen=True)
class Layout:
    """Offsets in the arena.

    Attributes:
        tensors: By tensor index, of all that are no constants.
        scratch: Of each layer's scratch buffers, in order.
        states: Of what kernels keep.
        size: Bytes of the arena.
    """

    tensors: dict[int, int]
    scratch: tuple[tuple[int, ...], ...]
    states: dict[State, int]
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


def layout_of(network: Network, works: Sequence[Work], planner: str = "optimal") -> Layout:
    """Plan the arena; the plan is validated.

    Raises:
        PlanError: The planner found no plan.
        ValueError: There is no planner of that name.
    """
    spans, behind = _spans(network, works)
    states = {
        state: _always(network, state.bytes, state.alignment)
        for work in works
        for state in work.states
    }
    shared = list({id(span): span for span in (*spans.values(), *states.values())}.values())
    number = {id(span): i for i, span in enumerate(shared)}
    requests = [
        _Span(piece.bytes, index, index + 1, piece.alignment)
        for index, work in enumerate(works)
        for piece in work.scratch
    ]
    buffers = tuple(span.buffer() for span in (*shared, *requests))
    separations = tuple(Separation(number[id(x)], number[id(y)], 0) for x, y in behind)
    solution = planners.plan(Problem(buffers, separations), planner)
    places = {id(span): offset for span, offset in zip(shared, solution.offsets, strict=False)}
    rest = iter(solution.offsets[len(shared) :])
    scratch = tuple(tuple(next(rest) for _ in work.scratch) for work in works)
    tensors = {index: places[id(span)] for index, span in spans.items()}
    kept = {state: places[id(span)] for state, span in states.items()}
    return Layout(tensors, scratch, kept, -(-solution.size // 16) * 16)


def _always(network: Network, size: int, alignment: int) -> _Span:
    """Memory that is taken before the first layer and after the last."""
    return _Span(size, 0, len(network.layers) + 1, alignment)


def _spans(
    network: Network, works: Sequence[Work]
) -> tuple[dict[int, _Span], list[tuple[_Span, _Span]]]:
    """The memory of every tensor; tensors in the same place have the same one.

    Of the pairs, the second may begin anywhere behind the beginning of the first.
    """
    behind: list[tuple[_Span, _Span]] = []
    last = _last_uses(network)
    spans: dict[int, _Span] = {}
    for value in network.variables():
        spans[value.index] = _always(network, value.nbytes, _alignment(value))
    for value in network.inputs:
        end = max(last.get(value.index, 0), 0) + 1
        spans.setdefault(value.index, _Span(value.nbytes, 0, end, _alignment(value)))
    for layer, work in zip(network.layers, works, strict=True):
        if work.read_room:
            x = layer.input(0)
            spans[x.index].size = max(spans[x.index].size, x.nbytes + work.read_room)
        for value in layer.outputs:
            if value.is_variable:
                continue
            end = max(last.get(value.index, layer.index), layer.index) + 1
            size = value.nbytes + work.room
            free = [
                spans[x.index]
                for x in (layer.inputs[i] for i in work.in_place)
                if x is not None and _may_go(x, layer.index, spans, last)
            ]
            over = next((span for span in free if size <= span.size or not work.grows), None)
            if work.routine is None:  # the same bytes, even if others still read the input
                over = spans[layer.input(work.in_place[0]).index]
            if over is None:
                spans[value.index] = new = _Span(size, layer.index, end, _alignment(value))
                behind += [(span, new) for span in free]
                continue
            over.size, over.end = max(over.size, size), max(over.end, end)
            over.alignment = max(over.alignment, _alignment(value))
            spans[value.index] = over
    return spans, behind


def _alignment(value: Value) -> int:
    return max(ALIGNMENT, value.type.bits // 8)


def _last_uses(network: Network) -> dict[int, int]:
    """The last layer that reads each tensor; the model's outputs are read after all layers."""
    last = {
        value.index: layer.index
        for layer in network.layers
        for value in layer.inputs
        if value is not None
    }
    return last | {value.index: len(network.layers) for value in network.outputs}


def _may_go(value: Value, layer: int, spans: dict[int, _Span], last: dict[int, int]) -> bool:
    """Whether nobody reads a tensor's memory after a layer."""
    if value.is_constant or last[value.index] != layer:
        return False
    return spans[value.index].end == layer + 1
