"""STABLEHLO_COMPOSITE as the operators that it stands for, which are in a subgraph of their own.

Facts: LiteRT's ``kernels/stablehlo_composite.cc`` (without a delegate it runs that subgraph),
``schema.fbs``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from arenite.model import Model, Operator, Subgraph, Tensor
from arenite.optimize.lowerings import CompositeOptions
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.parts import options_of

COMPOSITE = "STABLEHLO_COMPOSITE"
#: Operators, and tensors, of a subgraph that composites are put into: composites of composites may
#: be more than memory holds.
_MOST = 20_000


def decomposed(model: Model) -> Outcome:
    """The model with the operators of all composites in their places; equal bits.

    Composites of composites go from the inside outwards; those that consist of themselves stay.
    """
    notes, called = list[Note](), set[int]()
    for _ in model.subgraphs:
        plain = {n: one for n, one in enumerate(model.subgraphs) if COMPOSITE not in _names(one)}
        subgraphs, found = list(model.subgraphs), set[int]()
        for number, graph in enumerate(model.subgraphs):
            subgraphs[number], mine = _put_in(plain, graph)
            found |= mine
            notes += [_note(number, model.subgraphs[one]) for one in sorted(mine)]
        if not found:
            break
        called |= found
        model = replace(model, subgraphs=tuple(subgraphs))
    return Outcome(_without(model, called - _still_called(model)), tuple(notes))


def _names(graph: Subgraph) -> set[str]:
    return {operator.name for operator in graph.operators}


def _note(number: int, graph: Subgraph) -> Note:
    text = f"{COMPOSITE} is {', '.join(one.name for one in graph.operators)} now: equal bits"
    return Note(f"$.subgraphs[{number}]", text)


def _put_in(plain: dict[int, Subgraph], graph: Subgraph) -> tuple[Subgraph, set[int]]:
    """A subgraph with those of its composites put in that are ``plain``, and which these are."""
    tensors, operators, found = list(graph.tensors), list[Operator](), set[int]()
    for operator in graph.operators:
        index = _called_by(operator)
        inner, room = plain.get(index), _MOST - max(len(tensors), len(operators))
        if inner is None or not _fits(operator, inner, tensors, room):
            operators.append(operator)
            continue
        found.add(index)
        operators += _inside(operator, inner, tensors)
    if not found:
        return graph, found
    return replace(graph, tensors=tuple(tensors), operators=tuple(operators)), found


def _called_by(operator: Operator) -> int:
    """The subgraph that a composite stands for; -1 of other operators."""
    options = options_of(operator, CompositeOptions) if operator.name == COMPOSITE else None
    return options.decomposition_subgraph_index if options else -1


def _fits(operator: Operator, inner: Subgraph, tensors: list[Tensor], room: int) -> bool:
    """Whether operands are those of the subgraph, and each output is computed there, once."""
    if max(len(inner.tensors), len(inner.operators)) > room:
        return False
    sides = (operator.inputs, inner.inputs), (operator.outputs, inner.outputs)
    if any(len(ours) != len(theirs) for ours, theirs in sides) or -1 in operator.inputs:
        return False
    written = {index for one in inner.operators for index in one.outputs}
    is_same = all(
        (tensors[a].type, tensors[a].shape) == (inner.tensors[b].type, inner.tensors[b].shape)
        for ours, theirs in sides
        for a, b in zip(ours, theirs, strict=True)
    )
    once = len({*inner.outputs}) == len(inner.outputs) and written >= {*inner.outputs}
    return is_same and once and not written & {*inner.inputs}


def _inside(operator: Operator, inner: Subgraph, tensors: list[Tensor]) -> list[Operator]:
    """The subgraph's operators on the composite's operands and on tensors of their own."""
    known = dict(zip(inner.inputs, operator.inputs, strict=True))
    known |= zip(inner.outputs, operator.outputs, strict=True)
    known[-1] = -1
    for index, tensor in enumerate(inner.tensors):
        if index not in known:
            known[index] = len(tensors)
            tensors.append(tensor)

    def ours(indices: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(known[index] for index in indices)

    return [
        replace(
            one,
            inputs=ours(one.inputs),
            outputs=ours(one.outputs),
            intermediates=ours(one.intermediates),
        )
        for one in inner.operators
    ]


def _calls(operator: Operator) -> dict[str, int]:
    """Subgraphs that an operator names, by its options' fields."""
    names = [one.name for one in fields(operator.options)] if operator.options else []
    return {
        name: getattr(operator.options, name) for name in names if name.endswith("_subgraph_index")
    }


def _still_called(model: Model) -> set[int]:
    every = [one for graph in model.subgraphs for one in graph.operators]
    found = {0, *(one.subgraph for one in model.signatures)}
    found |= {index for one in every for index in _calls(one).values()}
    return found | {_called_by(one) for one in every}


def _without(model: Model, gone: set[int]) -> Model:
    """TFLM prepares all subgraphs: those that nobody calls go, the others are counted anew."""
    kept = [number for number in range(len(model.subgraphs)) if number not in gone]
    new = {old: number for number, old in enumerate(kept)}
    subgraphs = tuple(_renumbered(model.subgraphs[number], new) for number in kept)
    signatures = tuple(replace(one, subgraph=new[one.subgraph]) for one in model.signatures)
    return replace(model, subgraphs=subgraphs, signatures=signatures)


def _renumbered(graph: Subgraph, new: Mapping[int, int]) -> Subgraph:
    operators = tuple(
        replace(one, options=replace(one.options, **{k: new.get(v, v) for k, v in calls.items()}))
        if (calls := _calls(one)) and one.options
        else one
        for one in graph.operators
    )
    return replace(graph, operators=operators)
