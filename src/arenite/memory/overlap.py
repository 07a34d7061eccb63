"""Operands of one operator that share memory: only an offline plan can make them do so.

An operator that writes where it still has to read gives results that depend on the order of
its loops, which every kernel has of its own; or it checks indices and then overwrites them. So
its outputs have places of their own, unless it reads, in the order of its kernel on the target,
whatever an output overwrites before that is written.

This is the independent check of such plans: an :class:`Order` says what a kernel reads and what
it has written when it does, step by step; the planner's distances come from formulas
(``ops/overlap.py``). Buffers of different operators may share memory as the author of the plan
likes: whole operators run one after the other here as they do in TFLM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.errors import PlanError
from arenite.memory.plan import PlannedBuffer
from arenite.model import Model, Operator, Subgraph

Place = tuple[int, int]
_APART = "the offline plan must keep them apart"
Bytes = npt.NDArray[np.int64]


class Order(NamedTuple):
    """The order in which a kernel reads an input and writes its output, in bytes.

    Attributes:
        steps: Pairs of arrays, an element for every step: the lowest byte of the input that it
            reads, and how many bytes of the output, up to the highest, are written by then.
        unit: Input and output are apart by a multiple of so many bytes, for which alone the steps
            hold; 0 for none at all.
    """

    steps: Iterable[tuple[Bytes, Bytes]] = ()
    unit: int = 1

    def distance(self) -> int:
        """By how many bytes the input has to begin above the output, at least."""
        ahead = (int((written - read).max(initial=0)) for read, written in self.steps)
        return max(ahead, default=0)


#: ``order(subgraph, operator, position)``: that of the operator's lone output and the input at
#: that position; None where they must be apart.
Orders = Callable[[int, int, int], Order | None]


class Sharing(NamedTuple):
    """An operator's lone output reaches into an input, which begins ``distance`` bytes above."""

    subgraph: int
    operator: int
    output: int
    input: int
    distance: int


class _Span(NamedTuple):
    """The bytes ``[begin, end)`` of an operand, and whether the operator writes them."""

    begin: int
    end: int
    tensor: int
    is_written: bool


def check_operands(
    model: Model,
    buffers: Sequence[PlannedBuffer],
    orders: Orders,
    hint: str = "",
    are_placed: Callable[[Operator], bool] | None = None,
) -> tuple[Sharing, ...]:
    """Check that no operator writes where it still has to read.

    Args:
        model: The model.
        buffers: Its plan.
        orders: The kernels' orders of reading and writing.
        hint: What to add to an error.
        are_placed: Operators whose operands lie where their compiler wants them, over each other
            as well.

    Returns:
        The outputs that share bytes with an input, all of them safe.

    Raises:
        PlanError: Names the operator and the two tensors, how far they have to be apart and are.
    """
    places = {
        (b.subgraph, b.index): (b.offset, b.offset + b.size) for b in buffers if b.kind != "scratch"
    }
    found: list[Sharing] = []
    for number, subgraph in enumerate(model.subgraphs):
        for position, operator in enumerate(subgraph.operators):
            if are_placed is not None and are_placed(operator):
                continue
            node = _Node(subgraph, number, position, hint)
            found += _check_node(node, _operands(node, places), orders)
    return tuple(found)


class _Node(NamedTuple):
    """An operator, and what an error says of it."""

    graph: Subgraph
    subgraph: int
    number: int
    hint: str

    @property
    def operator(self) -> Operator:
        return self.graph.operators[self.number]

    def error(self, one: _Span, other: _Span, needed: str) -> PlanError:
        written, read = (one, other) if one.is_written else (other, one)
        names = [self.graph.tensors[span.tensor].name for span in (written, read)]
        return PlanError(
            f"{self.operator.name} at $.subgraphs[{self.subgraph}].operators[{self.number}] would "
            f"write tensor {written.tensor} ({names[0]!r}) at bytes {written.begin} to "
            f"{written.end}, over tensor {read.tensor} ({names[1]!r}) at bytes {read.begin} to "
            f"{read.end}; {needed}{self.hint}"
        )


def _check_node(node: _Node, spans: set[_Span], orders: Orders) -> list[Sharing]:
    """The inputs that the output safely reaches into; all else is apart."""
    out = _lone_output(node.operator, spans)
    sharing: list[_Span] = [] if out is None else _reached(spans, out)
    for span in sharing:
        assert out is not None
        needed = _missing(node, span, span.begin - out.begin, orders)
        if needed:
            raise node.error(out, span, needed)
    # Those pairs are looked at; all others have no byte in common.
    for apart in ([out], sharing) if sharing else ([],):
        clash = _first_clash(sorted(spans.difference(filter(None, apart))))
        if clash is not None:
            raise node.error(*clash, _APART)
    return [
        Sharing(node.subgraph, node.number, out.tensor, span.tensor, span.begin - out.begin)
        for span in sharing
        if out is not None
    ]


def _operands(node: _Node, places: Mapping[tuple[int, int], Place]) -> set[_Span]:
    """All operands with a place in the arena."""
    operator, number = node.operator, node.subgraph
    written = {index for index in operator.outputs if (number, index) in places}
    spans = {_Span(*places[number, index], index, True) for index in written}
    for index in operator.inputs:
        place = places.get((number, index))
        if place is not None and index not in written:
            spans.add(_Span(*place, index, node.graph.tensors[index].is_variable))
    return spans


def _lone_output(operator: Operator, spans: Iterable[_Span]) -> _Span | None:
    """The output, if there is one only and it has a place."""
    if len(operator.outputs) != 1:
        return None
    return next((s for s in spans if s.is_written and s.tensor == operator.outputs[0]), None)


def _reached(spans: Iterable[_Span], out: _Span) -> list[_Span]:
    """The inputs, no variables, that an output reaches into."""
    return [
        span
        for span in sorted(spans)
        if not span.is_written and span.begin < out.end and out.begin < span.end
    ]


def _missing(node: _Node, span: _Span, distance: int, orders: Orders) -> str:
    """Lack of the operator where an input begins so far above; empty where that will do."""
    positions = (i for i, index in enumerate(node.operator.inputs) if index == span.tensor)
    found = (
        _needed(orders(node.subgraph, node.number, position), distance) for position in positions
    )
    return next(filter(None, found), "")


def _needed(order: Order | None, distance: int) -> str:
    if order is None:
        return _APART
    if order.unit == 0:
        return "" if distance == 0 else "both must begin at the same byte, or be apart"
    least = order.distance()
    if distance >= least and distance % order.unit == 0:
        return ""
    steps = f", a multiple of {order.unit}," if order.unit > 1 else ""
    return (
        f"on this target the input must begin at least {least} bytes{steps} above the output, "
        f"got {distance}"
    )


def _first_clash(spans: Sequence[_Span]) -> tuple[_Span, _Span] | None:
    """Two spans with a byte in common, one of them written; ``spans`` are sorted."""
    furthest: _Span | None = None  # of all so far, and of those that are written
    furthest_written: _Span | None = None
    for span in spans:
        before = furthest if span.is_written else furthest_written
        if before is not None and span.begin < before.end:
            return before, span
        if furthest is None or span.end > furthest.end:
            furthest = span
        if span.is_written and (furthest_written is None or span.end > furthest_written.end):
            furthest_written = span
    return None
