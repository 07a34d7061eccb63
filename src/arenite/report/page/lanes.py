"""Lanes of a graph's lines beside its operators, which are listed from top to bottom.

A tensor that is still to be read keeps a lane; an operator stands in the lane of the first of
them that it reads, and what it writes goes on from there. A chain is one straight line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arenite.model import Subgraph

Line = tuple[int, int]  # a lane and a tensor


@dataclass(frozen=True)
class Row:
    """One row of the graph.

    Attributes:
        operator: Its number; -1 is the row of the inputs, -2 that of the outputs.
        lane: Where it stands.
        above: What comes from above and ends here.
        passing: What goes by.
        below: What goes on from here: written here, or read here and again below.
    """

    operator: int
    lane: int
    above: tuple[Line, ...]
    passing: tuple[Line, ...]
    below: tuple[Line, ...]


INPUTS, OUTPUTS = -1, -2


def rows_of(subgraph: Subgraph) -> Iterator[Row]:
    """The inputs, all operators, the outputs."""
    lanes: list[int | None] = []
    left = _reads(subgraph)
    nothing: tuple[int, ...] = ()
    steps = [(INPUTS, nothing, subgraph.inputs)]
    for number, one in enumerate(subgraph.operators):
        steps.append((number, one.inputs, (*one.outputs, *_changed(subgraph, one.inputs))))
    steps.append((OUTPUTS, subgraph.outputs, nothing))
    for number, read, written in steps:
        yield _row(lanes, left, number, [i for i in read if i >= 0], [i for i in written if i >= 0])


def _reads(subgraph: Subgraph) -> Counter[int]:
    """The number of rows that still read a tensor that flows."""
    left: Counter[int] = Counter()
    for indices in (*(one.inputs for one in subgraph.operators), subgraph.outputs):
        left.update({i for i in indices if i >= 0 and not subgraph.tensors[i].is_constant})
    return left


def _changed(subgraph: Subgraph, inputs: Sequence[int]) -> tuple[int, ...]:
    """Variables, which are nobody's output."""
    return tuple(i for i in inputs if i >= 0 and subgraph.tensors[i].is_variable)


def _row(
    lanes: list[int | None],
    left: Counter[int],
    number: int,
    read: Sequence[int],
    written: Sequence[int],
) -> Row:
    above = [(lane, i) for lane, i in enumerate(lanes) if i is not None and i in read]
    passing = [(lane, i) for lane, i in enumerate(lanes) if i is not None and i not in read]
    below: list[Line] = []
    for lane, tensor in above:
        left[tensor] -= 1
        if left[tensor]:
            below.append((lane, tensor))
        else:
            lanes[lane] = None
    place = above[0][0] if above else _free(lanes)
    for tensor in dict.fromkeys(written):
        if left[tensor] and tensor not in lanes:
            lane = place if place == len(lanes) or lanes[place] is None else _free(lanes)
            lanes[lane : lane + 1] = [tensor]
            below.append((lane, tensor))
    while lanes and lanes[-1] is None:
        lanes.pop()
    return Row(number, place, tuple(above), tuple(passing), tuple(below))


def _free(lanes: Sequence[int | None]) -> int:
    """The first lane without a tensor."""
    return next((lane for lane, i in enumerate(lanes) if i is None), len(lanes))
