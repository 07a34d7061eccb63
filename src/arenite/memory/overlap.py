"""Operands of one operator that share memory: only an offline plan can make them do so.

An operator that writes where it still has to read gives results that depend on the order of
its loops, which every kernel has of its own; or it checks indices and then overwrites them. So
its outputs have places of their own, unless the operator says that one may lie on an input.
Buffers of different operators may share memory as the author of the plan likes: whole operators
run one after the other here as they do in TFLM.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from arenite.errors import PlanError
from arenite.memory.plan import PlannedBuffer
from arenite.model import Model, Operator, Subgraph

#: ``in_place(subgraph, operator)``: positions of the inputs on which its output may lie.
InPlace = Callable[[int, int], Collection[int]]
Place = tuple[int, int]


class _Span(NamedTuple):
    """The bytes ``[begin, end)`` of an operand, and whether the operator writes them."""

    begin: int
    end: int
    tensor: int
    is_written: bool


def check_operands(model: Model, buffers: Sequence[PlannedBuffer], in_place: InPlace) -> None:
    """Check that no operator writes where another of its operands lies.

    Args:
        model: The model.
        buffers: Its plan.
        in_place: What operators allow: the output takes exactly the bytes of that input.

    Raises:
        PlanError: Names the operator and the two tensors.
    """
    places = {
        (b.subgraph, b.index): (b.offset, b.offset + b.size) for b in buffers if b.kind != "scratch"
    }
    for number, subgraph in enumerate(model.subgraphs):
        for position, operator in enumerate(subgraph.operators):
            spans = _operands(subgraph, operator, number, places, in_place(number, position))
            clash = _first_clash(sorted(spans))
            if clash is not None:
                raise _error(
                    subgraph, operator, f"$.subgraphs[{number}].operators[{position}]", *clash
                )


def _operands(
    subgraph: Subgraph,
    operator: Operator,
    number: int,
    places: Mapping[tuple[int, int], Place],
    in_place: Collection[int],
) -> set[_Span]:
    """All operands with a place in the arena, without inputs that the output may lie on."""
    written = {index for index in operator.outputs if (number, index) in places}
    spans = {_Span(*places[number, index], index, True) for index in written}
    shared = {places[number, index] for index in written} if len(operator.outputs) == 1 else set()
    for position, index in enumerate(operator.inputs):
        place = places.get((number, index))
        if place is None or index in written or (position in in_place and place in shared):
            continue
        spans.add(_Span(*place, index, subgraph.tensors[index].is_variable))
    return spans


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


def _error(
    subgraph: Subgraph, operator: Operator, path: str, one: _Span, other: _Span
) -> PlanError:
    written, read = (one, other) if one.is_written else (other, one)
    names = [subgraph.tensors[span.tensor].name for span in (written, read)]
    return PlanError(
        f"{operator.name} at {path} would write tensor {written.tensor} ({names[0]!r}) at bytes "
        f"{written.begin} to {written.end}, over tensor {read.tensor} ({names[1]!r}) at bytes "
        f"{read.begin} to {read.end}; the offline plan must keep them apart"
    )
