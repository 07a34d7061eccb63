"""Subgraphs and variables in interpreters: on both engines, in pieces, in threads, without end."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import native
from arenite.model import Model, ModelBuilder
from arenite.ops import Context, Node
from arenite.ops.tflite.var_handle import VarHandleOptions
from tests.runtime.subgraphs import (
    add,
    adding,
    assign,
    branches,
    counter,
    endless,
    handle,
    loop,
    read,
)

engines = pytest.mark.parametrize(
    "engine",
    [
        "reference",
        pytest.param(
            "native",
            marks=pytest.mark.skipif(not native.available(), reason="no native engine"),
        ),
    ],
)


def int32(*values: int) -> Any:
    return np.array(values, np.int32)


def values(interpreter: ar.Interpreter, *inputs: int) -> list[int]:
    return [int(interpreter(int32(x)).item()) for x in inputs]  # type: ignore[union-attr]


def copying(runs: list[int] | None = None) -> ar.AllOpsResolver:
    """A resolver with COPY, an operator in Python that notes its runs."""

    def invoke(context: Context, node: Node) -> None:
        x = context.get_eval_tensor(node.inputs[0]).data
        y = context.get_eval_tensor(node.outputs[0]).data
        assert x is not None
        assert y is not None
        y[...] = x
        if runs is not None:
            runs.append(int(x.item()))

    resolver = ar.AllOpsResolver()
    resolver.add_custom("COPY", ar.Registration(invoke=invoke))
    return resolver


@engines
def test_if_runs_one_branch(engine: Any) -> None:
    interpreter = ar.Interpreter(branches(), engine=engine)
    got = [interpreter(np.array([flag]), int32(5)) for flag in (True, False, True)]
    assert [int(y.item()) for y in got] == [6, 105, 6]  # type: ignore[union-attr]


@engines
def test_while_runs_until_its_condition_ends_it(engine: Any) -> None:
    assert values(ar.Interpreter(loop(), engine=engine), 0, 7, 255) == [0, 0, 0]


@engines
def test_variables_remember_and_call_once_runs_once(engine: Any) -> None:
    interpreter = ar.Interpreter(counter(), engine=engine)
    assert values(interpreter, 1, 2, 3) == [11, 13, 16]


@engines
def test_reset_gives_variables_their_zero_points_and_does_not_call_again(engine: Any) -> None:
    interpreter = ar.Interpreter(counter(), engine=engine)
    values(interpreter, 1, 2)
    interpreter.reset()
    assert values(interpreter, 1, 2) == [1, 3]


@engines
def test_a_body_in_python_runs_once_a_round(engine: Any) -> None:
    runs: list[int] = []
    model = loop(adding("body", -1, custom="COPY"))
    interpreter = ar.Interpreter(model, engine=engine, resolver=copying(runs))
    assert values(interpreter, 4, 2) == [0, 0]
    assert runs == [3, 2, 1, 0, 1, 0]


@engines
def test_what_a_body_in_python_raises_ends_the_inference_and_the_next_one_is_whole(
    engine: Any,
) -> None:
    failing = [True]

    def invoke(context: Context, node: Node) -> None:
        if failing.pop():
            context.report_error("not today")
        failing.append(False)
        context.get_eval_tensor(node.outputs[0]).data[...] = (  # type: ignore[index]
            context.get_eval_tensor(node.inputs[0]).data
        )

    resolver = ar.AllOpsResolver()
    resolver.add_custom("COPY", ar.Registration(invoke=invoke))
    model = loop(adding("body", -1, custom="COPY"))
    interpreter = ar.Interpreter(model, engine=engine, resolver=resolver)
    place = r"COPY 1 of subgraph 2 .*: not today"
    with pytest.raises(ar.ConstraintError, match=place):
        interpreter(int32(3))
    failing[:] = [False]
    assert values(interpreter, 3) == [0]


@engines
def test_branches_that_do_not_fit_are_refused_when_they_are_taken(engine: Any) -> None:
    b = ModelBuilder("else")
    b.output(b.constant("two", int32(1, 2)))
    b.input("x", (1,), "int32")
    interpreter = ar.Interpreter(branches(otherwise=b.subgraph()), engine=engine)
    assert interpreter(np.array([True]), int32(1)).item() == 2  # type: ignore[union-attr]
    with pytest.raises(ar.ConstraintError, match=r"8 bytes .* and goes to 4"):
        interpreter(np.array([False]), int32(1))


def test_other_numbers_of_inputs_and_outputs_are_refused_before() -> None:
    b = ModelBuilder("then")
    b.output(b.constant("one", int32(1)))
    with pytest.raises(ar.ConstraintError, match="inputs of subgraph 1: expected 0 tensors, got 1"):
        ar.Interpreter(branches(b.subgraph()))
    b.input("x", (1,), "int32")
    b.output(0)
    with pytest.raises(ar.ConstraintError, match=r"outputs of subgraph 1: expected 2 .* got 1"):
        ar.Interpreter(branches(b.subgraph()))


@engines
def test_a_profiler_sees_what_a_loop_runs_inside_of_it(engine: Any) -> None:
    profiler = ar.MicroProfiler()
    interpreter = ar.Interpreter(loop(), engine=engine, profiler=profiler)
    values(interpreter, 2)
    assert [event.tag for event in profiler.events] == ["WHILE", "ADD", "ADD"]


@engines
def test_tensors_of_all_subgraphs_are_preserved(engine: Any) -> None:
    interpreter = ar.Interpreter(branches(), engine=engine, preserve_all_tensors=True)
    interpreter(np.array([True]), int32(5))
    assert interpreter.tensor("sum", subgraph=1).item() == 6


@engines
def test_an_operator_that_calls_others_runs_alone_too(engine: Any) -> None:
    micro = ar.MicroInterpreter(loop(), ar.AllOpsResolver(), 1 << 14, engine=engine)
    micro.allocate_tensors()
    micro.input(0)[...] = 3
    micro.invoke_operator(0)
    assert micro.output(0).item() == 0


@engines
def test_a_handle_that_is_a_variable_tensor_too_stays_a_handle(engine: Any) -> None:
    b = ModelBuilder()
    x = b.input("x", (1,), "int32")
    assign(b, handle(b, "other"), x)
    index = b.variable("handle", (), "resource")
    b.operator("VAR_HANDLE", [], [index], VarHandleOptions("", "v"))
    total = add(b, read_behind(b, index, x), x)
    b.output(total)
    interpreter = ar.Interpreter(b.build(), engine=engine)
    assert values(interpreter, 3, 5) == [6, 10]
    interpreter.reset()
    assert values(interpreter, 1) == [2]


def read_behind(b: ModelBuilder, variable: int, x: int) -> int:
    """What a variable holds after an assignment."""
    assign(b, variable, x)
    return read(b, variable)


# -- room for variables -------------------------------------------------------------------


def two_variables() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1,), "int32")
    for name in "ab":
        assign(b, variable := handle(b, name), x)
    b.output(read(b, variable))
    return b.build()


def test_there_is_room_for_one_variable_of_every_name() -> None:
    model = two_variables()
    assert ar.smallest_arena(model) == ar.smallest_arena(model, resource_variables=2)
    more = ar.smallest_arena(model, resource_variables=12)
    assert more - ar.smallest_arena(model) == 10 * 40  # sizeof(MicroResourceVariable)


def test_a_firmware_may_have_less_room() -> None:
    with pytest.raises(ar.ConstraintError, match="one more than the 1 that there is room for"):
        ar.Interpreter(two_variables(), resource_variables=1)
    with pytest.raises(ar.ConstraintError, match="no room for variables"):
        ar.Interpreter(two_variables(), resource_variables=0)
    with pytest.raises(ValueError, match="expected 0 or more"):
        ar.Interpreter(two_variables(), resource_variables=-1)


def test_variables_on_a_cortex_m_take_what_its_structs_take() -> None:
    b = ModelBuilder()
    b.output(add(b, b.input("x", (1,), "int32"), b.constant("one", int32(1))))
    plain, model = b.build(), two_variables()
    with_variables, without = (
        {r.purpose: r.used for r in ar.Interpreter(m, target="cortex-m4").allocations().records}
        for m in (model, plain)
    )
    # three pointers, a size and a byte; a pointer and two numbers; each in blocks of 16 bytes
    assert with_variables["MicroResourceVariable[]"] in range(2 * 20, 2 * 20 + 16)
    assert with_variables["MicroResourceVariables"] in range(12, 12 + 16)
    assert with_variables["variable a"] in range(4, 4 + 16)
    assert not any("ariable" in purpose for purpose in without)


# -- loops without end ----------------------------------------------------------------------


class Late(BaseException):
    """What the alarm raises: like KeyboardInterrupt no error."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@engines
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no SIGALRM")
@pytest.mark.parametrize("way", ["call", "invoke", "predict", "threads"])
def test_a_signal_ends_a_loop_without_end(engine: Any, way: str) -> None:
    interpreter = ar.Interpreter(endless(), engine=engine)
    batch = np.ones((4, 1), np.int32)
    runs = {
        "call": lambda: interpreter(int32(1)),
        "invoke": interpreter.invoke,
        "predict": lambda: interpreter.predict(batch),
        "threads": lambda: interpreter.predict(batch, threads=2),
    }
    begin = time.monotonic()
    with pytest.raises(Late), alarm(0.3):
        runs[way]()
    assert time.monotonic() - begin < 10
