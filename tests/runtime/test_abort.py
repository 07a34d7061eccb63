"""An operator may end an inference before its end, and nothing is wrong (``kTfLiteAbort``)."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import StateError
from tests.runtime.models import custom_chain, resolver_with

Array = np.ndarray[Any, Any]


def copy_or_abort(context: Any, node: Any) -> None:
    """Copies; the operator that writes tensor 2 ends the inference at an odd first number."""
    x, y = (context.get_eval_tensor(i).data for i in (node.inputs[0], node.outputs[0]))
    y[...] = x
    if node.outputs[0] == 2 and x[0] % 2:
        context.abort()


def heap() -> Any:
    interpreter = ar.HeapInterpreter(custom_chain(3), resolver_with(invoke=copy_or_abort))
    interpreter.allocate_tensors()
    return interpreter


def friendly(**options: Any) -> ar.Interpreter:
    return ar.Interpreter(
        custom_chain(3),
        resolver=resolver_with(invoke=copy_or_abort),
        preserve_all_tensors=True,
        **options,
    )


@pytest.mark.parametrize("make", [heap, friendly])
def test_invoke_says_whether_all_operators_ran(make: Any) -> None:
    interpreter = make()
    ran = []
    for value in (1, 2, 3):
        interpreter.input()[...] = value
        ran.append((interpreter.invoke(), int(interpreter.output()[0])))
    assert ran == [(False, 0), (True, 2), (False, 2)]


def test_what_was_written_stays() -> None:
    interpreter = friendly()
    interpreter.input()[...] = 5
    interpreter.invoke()
    assert [int(interpreter.tensor(index)[0]) for index in range(4)] == [5, 5, 5, 0]


def test_a_call_and_a_batch_give_what_the_output_holds() -> None:
    interpreter = friendly()
    batch = np.arange(2, 6, dtype=np.int8)[:, None].repeat(16, axis=1)
    assert [int(interpreter(sample)[0]) for sample in batch] == [2, 2, 4, 4]
    assert interpreter.predict(batch)[:, 0].tolist() == [2, 2, 4, 4]


def test_operators_behind_it_run_one_by_one() -> None:
    micro = ar.MicroInterpreter(custom_chain(3), resolver_with(invoke=copy_or_abort), 8192)
    micro.allocate_tensors()
    micro.input()[...] = 7
    for number in range(3):
        micro.invoke_operator(number)
    assert micro.output()[0] == 7


class Events:
    """A profiler that writes down what runs."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def begin_event(self, tag: str) -> int:
        self.seen.append("begin")
        return 0

    def end_event(self, event: int) -> None:
        self.seen.append("end")


@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_profilers_see_the_end_of_the_operator(engine: Any) -> None:
    events = Events()
    interpreter = friendly(profiler=events, engine=engine)
    interpreter.input()[...] = 1
    assert not interpreter.invoke()
    assert events.seen == ["begin", "end"] * 2


def test_only_a_running_operator_can_end_an_inference() -> None:
    def prepare(context: Any, node: Any) -> None:
        context.abort()

    with pytest.raises(StateError, match="abort is legal in the invoke phase"):
        ar.Interpreter(custom_chain(), resolver=resolver_with(prepare=prepare))
