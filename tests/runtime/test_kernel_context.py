"""A user's kernel meets TFLM's rules: what firmware does not forgive is an error."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import ConstraintError, StateError
from arenite.ops import Registration
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.runtime.models import copy, custom_chain, resolver_with

Make = Callable[..., Any]


def in_arena(resolver: ar.MutableOpResolver) -> MicroInterpreter:
    micro = MicroInterpreter(custom_chain(), resolver, bytearray(8192))
    micro.allocate_tensors()
    return micro


def on_heap(resolver: ar.MutableOpResolver) -> HeapInterpreter:
    heap = HeapInterpreter(custom_chain(), resolver)
    heap.allocate_tensors()
    return heap


def friendly(resolver: ar.MutableOpResolver) -> ar.Interpreter:
    return ar.Interpreter(custom_chain(), resolver=resolver)


everywhere = pytest.mark.parametrize("make", [in_arena, on_heap, friendly])

# -- temporary tensors


@everywhere
@pytest.mark.parametrize("function", ["init", "prepare"])
def test_a_temporary_tensor_that_is_not_given_back_is_refused(make: Make, function: str) -> None:
    def kernel(context: Any, *_: Any) -> None:
        context.get_tensor(0)

    parts: dict[str, Any] = {function: kernel}
    message = (
        rf"STEP 0 .*: {function} must give all temporary memory back, 1 of its "
        r"tensors and buffers are still allocated: tensor 0 \('t0'\)"
    )
    with pytest.raises(StateError, match=message):
        make(resolver_with(**parts))


@everywhere
def test_what_was_given_back_is_fine(make: Make) -> None:
    seen = []

    def prepare(context: Any, node: Any) -> None:
        x = context.allocate_temp_input_tensor(node, 0)
        y = context.allocate_temp_output_tensor(node, 0)
        seen.extend([x.name, y.name])
        assert context.allocate_temp_input_tensor(node, 1) is None
        assert context.allocate_temp_intermediate_tensor(node, 0) is None
        context.deallocate_temp_tflite_tensor(x)
        context.deallocate_temp_tflite_tensor(y)

    make(resolver_with(prepare=prepare))
    assert seen[:2] == ["t0", "t1"]


@everywhere
def test_a_tensor_that_is_kept_beyond_prepare_cannot_be_used(make: Make) -> None:
    def prepare(context: Any, node: Any) -> Any:
        x = context.allocate_temp_input_tensor(node, 0)
        context.deallocate_temp_tflite_tensor(x)
        return x

    def invoke(context: Any, node: Any) -> None:
        assert node.params.scale

    interpreter = make(resolver_with(prepare=prepare, invoke=invoke))
    with pytest.raises(StateError, match=r"used behind its deallocation \(its \.scale\)"):
        interpreter.invoke()


@everywhere
def test_nothing_is_given_back_twice(make: Make) -> None:
    def prepare(context: Any, node: Any) -> None:
        x = context.allocate_temp_input_tensor(node, 0)
        context.deallocate_temp_tflite_tensor(x)
        context.deallocate_temp_tflite_tensor(x)

    with pytest.raises(StateError, match="expected a temporary tensor that this function alloc"):
        make(resolver_with(prepare=prepare))


def test_temporary_memory_shows_in_the_arena_until_the_node_is_prepared() -> None:
    used = []

    def prepare(context: Any, node: Any) -> None:
        before = micro.arena.head_used
        x = context.allocate_temp_input_tensor(node, 0)
        used.append(micro.arena.head_used - before)
        context.deallocate_temp_tflite_tensor(x)
        used.append(micro.arena.head_used - before)

    micro = MicroInterpreter(custom_chain(), resolver_with(prepare=prepare), 1 << 14)
    micro.prepare_operator(0)
    assert used == [64, 64]  # a TfLiteTensor of 64 bytes; it comes back with the reset


# -- temporary buffers


@everywhere
def test_a_temporary_buffer_is_full_of_anything_and_given_back(make: Make) -> None:
    def prepare(context: Any, node: Any) -> None:
        buffer = context.allocate_temp_buffer(10, 16)
        assert buffer.tolist() == [0xA5] * 10
        context.deallocate_temp_buffer(buffer)

    make(resolver_with(prepare=prepare))


@everywhere
def test_a_temporary_buffer_that_is_not_given_back_is_refused(make: Make) -> None:
    def prepare(context: Any, node: Any) -> None:
        context.allocate_temp_buffer(10)

    with pytest.raises(StateError, match="still allocated: a buffer of 10 bytes"):
        make(resolver_with(prepare=prepare))


@everywhere
@pytest.mark.parametrize("view", [lambda b: b, lambda b: b.view(np.int16)[1:], lambda b: [b]])
def test_a_temporary_buffer_that_is_kept_beyond_prepare_is_refused(
    make: Make, view: Callable[[Any], Any]
) -> None:
    def prepare(context: Any, node: Any) -> Any:
        buffer = context.allocate_temp_buffer(16)
        context.deallocate_temp_buffer(buffer)
        return view(buffer)

    message = r"STEP 0 .*: a view of a temporary buffer was kept beyond prepare"
    with pytest.raises(StateError, match=message):
        make(resolver_with(prepare=prepare))


@everywhere
def test_a_copy_of_a_temporary_buffer_may_be_kept(make: Make) -> None:
    def prepare(context: Any, node: Any) -> Any:
        buffer = context.allocate_temp_buffer(16)
        kept = buffer.copy()
        context.deallocate_temp_buffer(buffer)
        return kept

    make(resolver_with(prepare=prepare))


@everywhere
def test_a_temporary_buffer_that_only_a_cycle_holds_was_not_kept(make: Make) -> None:
    def prepare(context: Any, node: Any) -> None:
        buffer = context.allocate_temp_buffer(16)
        cycle: list[Any] = [buffer]
        cycle.append(cycle)
        context.deallocate_temp_buffer(buffer)

    make(resolver_with(prepare=prepare))


@everywhere
def test_a_temporary_buffer_cannot_be_used_behind_its_deallocation(make: Make) -> None:
    seen = []

    def prepare(context: Any, node: Any) -> None:
        buffer = context.allocate_temp_buffer(16)
        buffer[...] = 7
        context.deallocate_temp_buffer(buffer)
        seen.extend(buffer.tolist())
        buffer[...] = 8

    with pytest.raises(ValueError, match="read-only"):
        make(resolver_with(prepare=prepare))
    assert seen == [0xA5] * 16


@everywhere
@pytest.mark.parametrize("asks_again", [False, True])
def test_a_view_of_a_temporary_buffer_cannot_be_written_behind_its_deallocation(
    make: Make, asks_again: bool
) -> None:
    def prepare(context: Any, node: Any) -> None:
        buffer = context.allocate_temp_buffer(200)
        view = buffer[150:]
        context.deallocate_temp_buffer(buffer)
        view[40] = 8
        if asks_again:
            context.deallocate_temp_buffer(context.allocate_temp_buffer(200))

    message = r"STEP 0 .*: a temporary buffer of 200 bytes was written after it was given back"
    with pytest.raises(StateError, match=message):
        make(resolver_with(prepare=prepare))


@everywhere
def test_a_temporary_buffer_of_negative_size_is_refused(make: Make) -> None:
    def prepare(context: Any, node: Any) -> None:
        context.allocate_temp_buffer(-16)

    with pytest.raises(ConstraintError, match=r"expected a buffer size .* got -16"):
        make(resolver_with(prepare=prepare))


def test_a_temporary_buffer_counts_for_the_smallest_arena() -> None:
    def prepare(context: Any, node: Any) -> None:
        context.deallocate_temp_buffer(context.allocate_temp_buffer(4096, 16))

    plain = ar.smallest_arena(custom_chain(), resolver_with())
    assert ar.smallest_arena(custom_chain(), resolver_with(prepare=prepare)) > plain + 3000


# -- scratch memory


def keeping(view: Callable[[Any], Any]) -> ar.MutableOpResolver:
    """An operator that keeps ``view(scratch memory)`` for the next inference."""

    def prepare(context: Any, node: Any) -> dict[str, Any]:
        return {"handle": context.request_scratch_buffer_in_arena(16)}

    def invoke(context: Any, node: Any) -> None:
        node.params["kept"] = view(context.get_scratch_buffer(node.params["handle"]))
        copy(context, node)

    return resolver_with(prepare=prepare, invoke=invoke)


@everywhere
@pytest.mark.parametrize("view", [lambda s: s, lambda s: s.view(np.int32)[1:], lambda s: [s]])
def test_a_scratch_view_that_is_kept_is_refused(make: Make, view: Callable[[Any], Any]) -> None:
    interpreter = make(keeping(view))
    with pytest.raises(StateError, match=r"STEP 0 .*: a view of scratch memory was kept beyond"):
        interpreter.invoke()


@everywhere
def test_a_copy_of_scratch_memory_may_be_kept(make: Make) -> None:
    interpreter = make(keeping(lambda scratch: scratch.copy()))
    interpreter.invoke()
    interpreter.invoke()


# -- memory for good


@everywhere
def test_persistent_memory_is_not_zeroed(make: Make) -> None:
    seen = []

    def prepare(context: Any, node: Any) -> None:
        seen.append(context.allocate_persistent_buffer(5).tolist())

    make(resolver_with(prepare=prepare))
    assert seen[-1] == [0xA5] * 5


# -- the external context


def test_kernels_find_the_external_context_in_all_interpreters() -> None:
    payload = object()
    seen: list[Any] = []

    def note(context: Any, *_: Any) -> None:
        seen.append(context.get_external_context())

    def invoke(context: Any, node: Any) -> None:
        note(context)
        copy(context, node)

    resolver = resolver_with(init=note, prepare=note, invoke=invoke)
    micro = MicroInterpreter(custom_chain(), resolver, 1 << 14)
    heap = HeapInterpreter(custom_chain(), resolver)
    for interpreter in (micro, heap):
        interpreter.set_micro_external_context(payload)
        interpreter.allocate_tensors()
        interpreter.invoke()
    for arena in (None, 1 << 14):
        friendly = ar.Interpreter(
            custom_chain(), resolver=resolver, arena=arena, external_context=payload
        )
        friendly.invoke()
        friendly.copy().invoke()
    assert len(seen) >= 3 * 6
    assert all(one is payload for one in seen)


# -- without the rules


def test_a_registration_may_do_without_the_rules() -> None:
    def prepare(context: Any, node: Any) -> dict[str, Any]:
        context.get_tensor(0)
        assert not context.allocate_persistent_buffer(4).any()
        return {"handle": context.request_scratch_buffer_in_arena(16)}

    def invoke(context: Any, node: Any) -> None:
        node.params["kept"] = context.get_scratch_buffer(node.params["handle"])
        copy(context, node)

    lax = Registration(prepare=prepare, invoke=invoke, strict=False)
    resolver = ar.MutableOpResolver().add_custom("STEP", lax)
    ar.Interpreter(custom_chain(), resolver=resolver).invoke()
