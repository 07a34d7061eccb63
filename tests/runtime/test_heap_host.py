"""HeapInterpreter: full TensorFlow Lite's host, with resizable inputs."""

from typing import Any

import numpy as np
import pytest

from arenite import native
from arenite.errors import ConstraintError, ShapeError, StateError, UndefinedWarning
from arenite.model import ModelBuilder
from arenite.ops.context import Context, Node
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter_config import Engine
from arenite.target import Target
from tests.runtime.models import conv_model, copy, custom_chain, image, resolver_with

ENGINES: tuple[Engine, ...] = ("reference", "native")


def test_an_input_can_be_resized_before_and_after_allocation() -> None:
    heap = HeapInterpreter(conv_model())
    for size in (8, 5, 12):
        heap.resize_input(0, (2, size, size, 3))
        heap.allocate_tensors()
        assert heap.output().shape == (2, size, size, 2)
        heap.input()[...] = image(0, size)
        heap.invoke()
        np.testing.assert_array_equal(heap.output()[0], heap.output()[1])


def test_a_resized_model_runs_only_after_allocation() -> None:
    heap = HeapInterpreter(conv_model())
    heap.allocate_tensors()
    heap.resize_input(0, (1, 4, 4, 3))
    for call in (heap.invoke, heap.input, heap.output):
        with pytest.raises(StateError):
            call()


@pytest.mark.parametrize("shape", [(8, 8, 3), (1, 8, -1, 3)])
def test_rank_and_sign_of_a_new_shape_are_checked(shape: tuple[int, ...]) -> None:
    heap = HeapInterpreter(conv_model())
    with pytest.raises(ShapeError, match=r"input 0 \('image'\): expected 4 dimensions of 0"):
        heap.resize_input(0, shape)


def test_an_input_that_there_is_not_is_refused() -> None:
    heap = HeapInterpreter(conv_model())
    with pytest.raises(IndexError, match="expected an input index below 1, got 1"):
        heap.resize_input(1, (1, 8, 8, 3))
    heap.allocate_tensors()
    for kind, method in (("input", heap.input), ("output", heap.output)):
        with pytest.raises(IndexError, match=f"expected an {kind} index below 1, got -1"):
            method(-1)


def test_nothing_runs_before_allocation() -> None:
    heap = HeapInterpreter(custom_chain(), resolver_with())
    for call in (heap.invoke, heap.input, heap.output):
        with pytest.raises(StateError):
            call()


def test_a_node_that_refuses_leaves_nothing_to_run() -> None:
    def prepare(context: Context, node: Node) -> None:
        context.report_error("no")

    heap = HeapInterpreter(custom_chain(), resolver_with(prepare=prepare))
    with pytest.raises(ConstraintError, match=r"STEP 0 .*: no"):
        heap.allocate_tensors()
    with pytest.raises(StateError):
        heap.invoke()


def test_what_tflm_leaves_undefined_is_a_warning_with_its_place() -> None:
    def prepare(context: Context, node: Node) -> None:
        context.warn_undefined("nobody knows")

    heap = HeapInterpreter(custom_chain(), resolver_with(prepare=prepare))
    with pytest.warns(UndefinedWarning, match=r"STEP 0 .*: nobody knows"):
        heap.allocate_tensors()


def test_every_init_is_freed_once() -> None:
    alive: set[int] = set()
    count = iter(range(10))

    def init(context: Context, options: Any) -> int:
        number = next(count)
        alive.add(number)
        return number

    def free(context: Context, user_data: int) -> None:
        alive.remove(user_data)

    heap = HeapInterpreter(custom_chain(2), resolver_with(init=init, free=free))
    heap.allocate_tensors()
    assert alive == {0, 1}
    heap.allocate_tensors()
    assert alive == {2, 3}
    del heap
    assert alive == set()


def test_a_variable_with_an_initial_value_is_reset_like_any_other() -> None:
    b = ModelBuilder()
    x = b.input("x", (2,), "int8")
    data = np.array([5, 6], np.int8).view(np.uint8)
    b.tensor("state", (2,), "int8", scale=1.0, zero_point=9, is_variable=True, data=data)
    y = b.tensor("y", (2,), "int8")
    b.operator("STEP", [x], [y], custom_options=b"")
    b.output(y)

    def invoke(context: Context, node: Node) -> None:
        copy(context, node)
        state = context.get_eval_tensor(1).data
        target = context.get_eval_tensor(2).data
        assert state is not None
        assert target is not None
        target += state

    heap = HeapInterpreter(b.build(), resolver_with(invoke=invoke))
    heap.allocate_tensors()
    heap.invoke()
    assert heap.output().tolist() == [9, 9]


def test_a_tensor_cannot_get_another_shape_behind_an_earlier_operators_back() -> None:
    b = ModelBuilder()
    x = b.input("x", (2,), "int8")
    y = b.variable("y", (2,), "int8")
    b.operator("STEP", [x], [y], custom_options=b"")
    b.operator("STEP", [x], [y], custom_options=b"")
    b.output(y)

    def prepare(context: Context, node: Node) -> None:
        context.resize_tensor(y, (next(sizes),))

    sizes = iter([2, 3])
    heap = HeapInterpreter(b.build(), resolver_with(prepare=prepare))
    with pytest.raises(ConstraintError, match=r" 1 .*would get the shape \[3\]"):
        heap.allocate_tensors()


def test_its_repr_shows_the_phase_and_the_inputs() -> None:
    heap = HeapInterpreter(conv_model())
    assert repr(heap) == "<HeapInterpreter (built): init phase, inputs 'image' [1, 8, 8, 3]>"
    heap.resize_input(0, (3, 8, 8, 3))
    heap.allocate_tensors()
    assert repr(heap) == "<HeapInterpreter (built): invoke phase, inputs 'image' [3, 8, 8, 3]>"


# -- targets and engines


@pytest.mark.skipif(not native.available(), reason="needs the native engine")
def test_the_native_engine_runs_on_the_heap_with_the_same_bits() -> None:
    interpreters = [HeapInterpreter(conv_model(), engine=engine) for engine in ENGINES]
    for interp in interpreters:
        interp.resize_input(0, (2, 8, 8, 3))
        interp.allocate_tensors()
        interp.input()[...] = np.random.default_rng(0).integers(-128, 128, (2, 8, 8, 3))
        interp.invoke()
    assert [interp.engine for interp in interpreters] == list(ENGINES)
    np.testing.assert_array_equal(interpreters[0].output(), interpreters[1].output())


def test_a_heap_has_a_target_too() -> None:
    interp = HeapInterpreter(conv_model(), target="m4")
    assert interp.target == Target("cortex-m4")
    interp.allocate_tensors()


@pytest.mark.parametrize("handle", [-1, 1])
def test_a_scratch_handle_that_there_is_not_is_refused(handle: int) -> None:
    def prepare(context: Context, node: Node) -> None:
        context.request_scratch_buffer_in_arena(4)

    def invoke(context: Context, node: Node) -> None:
        context.get_scratch_buffer(handle)

    heap = HeapInterpreter(custom_chain(), resolver_with(prepare=prepare, invoke=invoke))
    heap.allocate_tensors()
    with pytest.raises(ConstraintError, match=f"expected one of 1 scratch handles, got {handle}"):
        heap.invoke()
