"""Every call is legal in its phases only and raises StateError in all others."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from arenite.errors import StateError
from arenite.memory.allocator import MicroAllocator
from arenite.ops.context import Context, Node
from arenite.runtime.arena_host import MicroInterpreterContext
from arenite.runtime.heap_host import HeapContext
from arenite.runtime.kernel_context import CallbackTable
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.runtime.state import InterpreterState
from tests.runtime.models import copy, custom_chain, resolver_with

S = InterpreterState
CALLS: dict[str, tuple[Callable[[Any], Any], set[InterpreterState]]] = {
    "get_tensor": (lambda c: c.get_tensor(0), {S.INIT, S.PREPARE}),
    "get_eval_tensor": (lambda c: c.get_eval_tensor(0), set(S)),
    "resize_tensor": (lambda c: c.resize_tensor(0, (16,)), {S.PREPARE}),
    "allocate_persistent_buffer": (
        lambda c: c.allocate_persistent_buffer(4),
        {S.INIT, S.PREPARE},
    ),
    "reserve_persistent_buffer": (
        lambda c: c.reserve_persistent_buffer(4),
        {S.INIT, S.PREPARE},
    ),
    "request_scratch_buffer_in_arena": (
        lambda c: c.request_scratch_buffer_in_arena(4),
        {S.PREPARE},
    ),
    "get_scratch_buffer": (lambda c: c.get_scratch_buffer(0), {S.INVOKE}),
    "get_external_context": (lambda c: c.get_external_context(), set(S)),
}


def arena_context() -> MicroInterpreterContext:
    """A context past planning, with one scratch buffer."""
    model = custom_chain()
    allocator = MicroAllocator.create(1 << 14)
    context = MicroInterpreterContext(allocator, model)
    allocator.start_model_allocation(model)
    context.set_state(S.PREPARE)
    context.request_scratch_buffer_in_arena(4)
    context.finish_prepare_node()
    context.memory_plan = allocator.finish_model_allocation(model)
    context.commit()
    return context


def heap_context() -> HeapContext:
    context = HeapContext(custom_chain())
    context.set_state(S.PREPARE)
    context.request_scratch_buffer_in_arena(4)
    return context


@pytest.mark.parametrize("make", [arena_context, heap_context])
@pytest.mark.parametrize("state", list(S))
@pytest.mark.parametrize("name", CALLS)
def test_callback(name: str, state: InterpreterState, make: Callable[[], Any]) -> None:
    call, legal = CALLS[name]
    context = make()
    context.set_state(state)
    if state in legal:
        call(context)
        return
    phases = " or ".join(phase.value for phase in S if phase in legal)
    with pytest.raises(StateError) as caught:
        call(context)
    assert str(caught.value) == (
        f"{name} is legal in the {phases} phase, the interpreter is in the {state.value} phase"
    )


def test_the_callback_table_is_tflms() -> None:
    names = {field.name for field in fields(CallbackTable)}
    beyond = {"resize_tensor", "reserve_persistent_buffer"}
    assert names == {*CALLS, "report_error"} - beyond
    assert len(names) == 7
    table = CallbackTable.of(arena_context())
    assert table.get_eval_tensor(0).shape == (16,)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.invoke(),
        lambda m: m.reset(),
        lambda m: m.input(0),
        lambda m: m.output(0),
        lambda m: m.tensor("t0"),
        lambda m: m.plan,
    ],
)
def test_an_interpreter_does_nothing_before_allocate_tensors(
    call: Callable[[MicroInterpreter], Any],
) -> None:
    micro = MicroInterpreter(custom_chain(), resolver_with(), 1 << 14)
    with pytest.raises(StateError, match=r"; call allocate_tensors\(\) first|: call allocate_tens"):
        call(micro)


def test_tensors_are_allocated_once() -> None:
    micro = MicroInterpreter(custom_chain(), resolver_with(), 1 << 14)
    micro.allocate_tensors()
    with pytest.raises(StateError, match="allocate_tensors is legal in the init phase"):
        micro.allocate_tensors()


def test_the_phases_come_in_order() -> None:
    seen: list[InterpreterState] = []

    def note(*_: Any) -> None:
        seen.append(micro.state)

    def invoke(context: Context, node: Node) -> None:
        note()
        copy(context, node)

    resolver = resolver_with(init=note, prepare=note, invoke=invoke, reset=note)
    micro = MicroInterpreter(custom_chain(), resolver, 1 << 14)
    assert micro.state is S.INIT
    micro.allocate_tensors()
    micro.invoke()
    assert seen == [S.INIT, S.PREPARE, S.MEMORY_PLANNING, S.INVOKE]


@pytest.mark.parametrize(
    ("phase", "call"),
    [
        ("init", lambda c: c.request_scratch_buffer_in_arena(4)),
        ("prepare", lambda c: c.get_scratch_buffer(0)),
        ("invoke", lambda c: c.allocate_persistent_buffer(4)),
        ("invoke", lambda c: c.get_tensor(0)),
    ],
)
def test_a_kernel_that_calls_in_the_wrong_phase_gets_the_error(
    phase: str, call: Callable[[Context], Any]
) -> None:
    def kernel(context: Context, *_: Any) -> None:
        call(context)

    parts: dict[str, Any] = {phase: kernel}
    micro = MicroInterpreter(custom_chain(), resolver_with(**parts), 1 << 14)
    with pytest.raises(StateError, match=f"the interpreter is in the {phase} phase"):
        run(micro)


def run(micro: MicroInterpreter) -> None:
    micro.allocate_tensors()
    micro.invoke()


def test_the_external_context_is_set_once() -> None:
    micro = MicroInterpreter(custom_chain(), resolver_with(), 1 << 14)
    payload = object()
    micro.set_micro_external_context(payload)
    for again in (None, object()):
        with pytest.raises(StateError, match="can be set once, and not to None"):
            micro.set_micro_external_context(again)
