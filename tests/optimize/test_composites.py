"""STABLEHLO_COMPOSITE: the operators that it stands for take its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import arenite as ar
from arenite.model import Model, ModelBuilder, Operator, SignatureDef, Subgraph
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.optimize._composites import COMPOSITE, decomposed
from arenite.optimize.lowerings import CompositeOptions
from arenite.optimize.passes.lower import lower
from arenite.optimize.settings import Settings


def function(name: str, times: int = 1) -> Subgraph:
    """``x`` and a constant, added or multiplied so often."""
    b = ModelBuilder()
    x = b.input("x", (2,), "float32")
    for number in range(times):
        y = b.tensor(f"y{number}", (2,), "float32")
        b.operator(name, [x, b.constant(f"c{number}", np.float32([2, 3]))], [y])
        x = y
    b.output(x)
    return b.build().main


def composite(number: int, x: int, y: int) -> Operator:
    return Operator(COMPOSITE, (x,), (y,), CompositeOptions(decomposition_subgraph_index=number))


def calling(*numbers: int) -> Subgraph:
    """One composite after the other, of these subgraphs."""
    b = ModelBuilder()
    x = b.input("x", (2,), "float32")
    places = [x, *(b.tensor(f"z{n}", (2,), "float32") for n, _ in enumerate(numbers))]
    b.output(places[-1])
    operators = [composite(one, places[n], places[n + 1]) for n, one in enumerate(numbers)]
    return replace(b.build().main, operators=tuple(operators))


def names(model: Model) -> list[list[str]]:
    return [[one.name for one in graph.operators] for graph in model.subgraphs]


def test_a_composite_becomes_its_operators_and_their_subgraph_goes():
    model = Model((calling(1, 2, 1), function("ADD"), function("MUL", 2)))
    outcome = lower(model, Settings(lower=True))
    assert names(outcome.model) == [["ADD", "MUL", "MUL", "ADD"]]
    assert outcome.is_exact
    assert ar.Interpreter(outcome.model)(np.float32([1, 1])).tolist() == [14, 39]


def test_composites_of_composites_become_operators():
    model = Model((calling(1, 1), calling(2), function("MUL")))
    assert names(decomposed(model).model) == [["MUL", "MUL"]]


def test_a_subgraph_that_something_else_calls_stays_and_is_counted_anew():
    once = Operator("CALL_ONCE", (), (), CallOnceOptions(2))
    main = calling(1)
    main = replace(main, operators=(once, *main.operators))
    model = Model((main, function("ADD"), function("MUL")))
    model = replace(model, signatures=(SignatureDef("s", {}, {}, 2),))
    found = decomposed(model).model
    assert names(found) == [["CALL_ONCE", "ADD"], ["MUL"]]
    assert found.main.operators[0].options == CallOnceOptions(1)
    assert found.signatures[0].subgraph == 1


def test_a_composite_of_other_operands_or_without_end_stays():
    other = function("ADD")
    narrow = replace(other, tensors=tuple(replace(one, shape=(1,)) for one in other.tensors))
    for subgraphs in [(calling(1), narrow), (calling(7),), (calling(1), calling(1)), (calling(0),)]:
        assert COMPOSITE in names(decomposed(Model(subgraphs)).model)[0]


def test_composites_that_double_forty_times_end_before_memory_does():
    deep = [calling(number + 1, number + 1) for number in range(40)]
    found = decomposed(Model((*deep, function("ADD")))).model
    assert 0 < max(len(graph.operators) for graph in found.subgraphs) <= 100_000
    assert COMPOSITE in names(found)[0]
