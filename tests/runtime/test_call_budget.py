"""Loops end where a budget of calls ends, with every engine and at the same place."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.interpreter_config import Engine
from tests.runtime.subgraphs import adding, branches, counter, endless, loop

ENGINES: tuple[Engine, ...] = ("reference", "native")


def _copying() -> Any:
    """A body that only Python can run, from inside of a native loop."""

    def invoke(context: Any, node: Any) -> None:
        context.get_eval_tensor(node.outputs[0]).data[...] = context.get_eval_tensor(
            node.inputs[0]
        ).data

    return ar.Registration(invoke=invoke)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_endless_loop_ends_with_its_budget(engine: Engine) -> None:
    interpreter = ar.Interpreter(endless(), engine=engine)
    budget = CallBudget(1000)
    interpreter.limit_calls(budget)
    with pytest.raises(ar.LoopLimitError):
        interpreter.invoke()
    assert budget.left[0] == -1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("limit", "is_enough"), [(7, True), (6, False)])
def test_a_round_has_two_calls_and_the_last_question_one(
    engine: Engine, limit: int, is_enough: bool
) -> None:
    interpreter = ar.MicroInterpreter.in_smallest_arena(loop(), ar.AllOpsResolver(), engine=engine)
    interpreter.limit_calls(CallBudget(limit))
    interpreter.input(0)[...] = 3
    if not is_enough:
        with pytest.raises(ar.LoopLimitError):
            interpreter.invoke()
        return
    assert interpreter.invoke()
    assert interpreter.output(0) == [0]


@pytest.mark.parametrize("engine", ENGINES)
def test_calls_of_all_inferences_count(engine: Engine) -> None:
    interpreter = ar.HeapInterpreter(branches(), engine=engine)
    interpreter.allocate_tensors()
    budget = CallBudget(2)
    interpreter.limit_calls(budget)
    interpreter.invoke()
    interpreter.invoke()
    with pytest.raises(ar.LoopLimitError):
        interpreter.invoke()
    interpreter.limit_calls(None)
    assert interpreter.invoke()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_around_an_operator_in_python_counts_as_often(engine: Engine) -> None:
    resolver = ar.AllOpsResolver().add_custom("COPY", _copying())
    model = loop(adding("body", -1, custom="COPY"))
    interpreter = ar.Interpreter(model, engine=engine, resolver=resolver)
    budget = CallBudget(100)
    interpreter.limit_calls(budget)
    interpreter(np.array([5], np.int32))
    assert budget.left[0] == 100 - 11


@pytest.mark.parametrize("engine", ENGINES)
def test_a_budget_that_is_given_later_holds_for_the_shortest_way_in(engine: Engine) -> None:
    interpreter = ar.Interpreter(loop(), engine=engine)
    x = np.array([50], np.int32)
    assert interpreter(x) == [0]
    interpreter.limit_calls(CallBudget(10))
    with pytest.raises(ar.LoopLimitError):
        interpreter(x)
    interpreter.limit_calls(None)
    assert interpreter(x) == [0]


def test_a_subgraph_that_runs_once_is_a_call() -> None:
    interpreter = ar.Interpreter(counter())
    budget = CallBudget(5)
    interpreter.limit_calls(budget)
    interpreter.invoke()
    interpreter.invoke()
    assert budget.left[0] == 4
