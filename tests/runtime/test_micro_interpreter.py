"""MicroInterpreter: a model in one arena."""

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import ArenaError, ConstraintError, ShapeError, StateError
from arenite.errors import UnsupportedOperatorError as Unsupported
from arenite.formats import tflite
from arenite.memory.allocator import MicroAllocator
from arenite.memory.recording import Category
from arenite.model import ModelBuilder
from arenite.ops import AllOpsResolver, MutableOpResolver
from arenite.ops.context import Context, Node
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.runtime.allocation import smallest_arena
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import HOST, Target, find_target
from tests.runtime.models import conv_model, copy, custom_chain, image, resolver_with
from tests.shared import shared_models


def ready(arena: Any = 1 << 14, **options: Any) -> MicroInterpreter:
    micro = MicroInterpreter(conv_model(), AllOpsResolver(), arena, **options)
    micro.allocate_tensors()
    return micro


def expected(seed: int = 0) -> Any:
    heap = HeapInterpreter(conv_model())
    heap.allocate_tensors()
    heap.input()[...] = image(seed)
    heap.invoke()
    return heap.output().copy()


# -- running


def test_it_computes_what_the_heap_computes() -> None:
    micro = ready()
    micro.input(0)[:] = image()
    micro.invoke()
    np.testing.assert_array_equal(micro.output(0), expected())


def test_leftovers_in_the_arena_change_nothing() -> None:
    micro = ready(bytearray(b"\xa5" * (1 << 14)))
    micro.input(0)[:] = image()
    micro.invoke()
    np.testing.assert_array_equal(micro.output(0), expected())


def test_tensors_are_views_of_the_users_memory() -> None:
    arena = bytearray(1 << 14)
    micro = ready(arena)
    planned = {buffer.name: buffer for buffer in micro.plan.buffers}
    micro.input(0)[...] = 77
    start = planned["image"].offset
    assert arena[start : start + 192] == bytes([77]) * 192
    arena[start] = 5
    assert micro.input(0).flat[0] == 5


def test_an_inference_allocates_nothing_in_the_arena() -> None:
    micro = ready()
    pointers = micro.arena.checkpoint()
    addresses = [micro.input().ctypes.data, micro.output().ctypes.data]
    for _ in range(3):
        micro.invoke()
    assert micro.arena.checkpoint() == pointers
    assert [micro.input().ctypes.data, micro.output().ctypes.data] == addresses


def test_every_planner_gives_the_same_result() -> None:
    for planner in ("greedy", "linear"):
        micro = ready(planner=planner)
        assert micro.plan.planner == planner
        micro.input(0)[:] = image()
        micro.invoke()
        np.testing.assert_array_equal(micro.output(0), expected())


def test_indices_beyond_the_ports_are_refused() -> None:
    micro = ready()
    for index in (1, -1):
        with pytest.raises(IndexError, match=f"expected an input index below 1, got {index}"):
            micro.input(index)


def test_a_kernel_that_fails_leaves_the_interpreter_usable() -> None:
    broken = True

    def invoke(context: Context, node: Node) -> None:
        if broken:
            raise RuntimeError("no")
        copy(context, node)

    micro = MicroInterpreter(custom_chain(2), resolver_with(invoke=invoke), 1 << 14)
    micro.allocate_tensors()
    micro.input()[...] = 3
    with pytest.raises(RuntimeError, match="no"):
        micro.invoke()
    broken = False
    micro.invoke()
    assert micro.output().tolist() == [3] * 16


# -- what it holds


def test_the_plan_lists_tensors_and_scratch_memory() -> None:
    def prepare(context: Context, node: Node) -> None:
        context.request_scratch_buffer_in_arena(20, "columns")

    micro = MicroInterpreter(custom_chain(1), resolver_with(prepare=prepare), 1 << 14)
    micro.allocate_tensors()
    assert [(b.name, b.kind, b.offset, b.size, b.begin, b.end) for b in micro.plan.buffers] == [
        ("t0", "tensor", 48, 16, 0, 2),
        ("t1", "tensor", 32, 16, 1, 2),
        ("#0 STEP columns", "scratch", 0, 20, 1, 2),
    ]
    assert micro.arena.head_used == micro.plan.head == 64


def test_all_tensors_can_be_seen_when_they_are_preserved() -> None:
    micro = ready(preserve_all_tensors=True)
    micro.input()[...] = image()
    micro.invoke()
    np.testing.assert_array_equal(micro.tensor("image"), image())
    np.testing.assert_array_equal(micro.tensor("y1"), expected())
    assert micro.tensor(1).shape == (4, 3, 3, 3)
    assert not micro.tensor("w0").flags.writeable
    for which in ("nothing", 99, -1):
        with pytest.raises(KeyError, match=r"subgraph 0 has no tensor"):
            micro.tensor(which)


def test_tensors_cannot_be_seen_when_they_share_memory() -> None:
    with pytest.raises(StateError, match="preserve_all_tensors=True"):
        ready().tensor("image")


def test_its_repr_says_how_full_the_arena_is() -> None:
    micro = ready(4096)
    assert repr(micro) == (
        f"<MicroInterpreter (built): invoke phase, {micro.arena.used} of 4096 bytes used, "
        f"head 448, tail {micro.arena.tail_used}>"
    )


def test_its_plan_s_repr_is_a_table() -> None:
    micro = ready(4096)
    first, *rows = repr(micro.plan).splitlines()
    assert first == f"plan: {len(micro.plan.buffers)} buffers, head 448 bytes, greedy planner"
    assert [row.split()[-1] for row in rows] == [b.name.split()[-1] for b in micro.plan.buffers]


@pytest.mark.parametrize(
    "call",
    [
        lambda model: MicroInterpreter(model, AllOpsResolver(), 1 << 14),
        smallest_arena,
        HeapInterpreter,
        ar.Interpreter,
    ],
)
def test_a_model_is_a_path_bytes_or_a_model(call: Callable[[Any], object], tmp_path: Path) -> None:
    data = tflite.write(conv_model())
    path = tmp_path / "conv.tflite"
    path.write_bytes(data)
    for model in (str(path), path, data, ar.load(path)):
        call(model)
    with pytest.raises(TypeError, match=r"expected a model file's path or its bytes, got int"):
        call(5)


@pytest.mark.parametrize("resolver", [None, "all"])
def test_what_is_no_resolver_is_refused(resolver: Any) -> None:
    kind = type(resolver).__name__
    with pytest.raises(TypeError, match=f"expected a resolver, .* got {kind}"):
        MicroInterpreter(conv_model(), resolver, 4096)


@pytest.mark.parametrize("registration", [None, "x"])
def test_what_is_no_registration_is_refused(registration: Any) -> None:
    kind = type(registration).__name__
    with pytest.raises(TypeError, match=f"'X': expected a Registration, got {kind}"):
        AllOpsResolver().add_custom("X", registration)


@pytest.mark.parametrize("arena", [6.5, "6k"])
def test_what_is_no_arena_is_refused(arena: Any) -> None:
    kind = type(arena).__name__
    with pytest.raises(TypeError, match=f"a writable buffer or a size in bytes, got {kind}"):
        MicroInterpreter(conv_model(), AllOpsResolver(), arena)


def test_a_size_may_be_numpys() -> None:
    size = np.int64(4096)
    assert MicroInterpreter(conv_model(), AllOpsResolver(), size).arena.size == 4096  # type: ignore[arg-type]


def test_either_an_arena_or_an_allocator() -> None:
    for options in ({}, {"arena": 4096, "allocator": MicroAllocator.create(4096)}):
        with pytest.raises(ValueError, match="expected either an arena or an allocator"):
            MicroInterpreter(conv_model(), AllOpsResolver(), **options)


@pytest.mark.parametrize(
    ("target", "abi"),
    [
        (None, "lp64"),
        ("cortex-m7", "ilp32"),
        (Target("cortex-m55", abi="lp64_public"), "lp64_public"),
    ],
)
def test_a_target_has_its_structs(target: Any, abi: str) -> None:
    micro = ready(target=target)
    assert micro.target == find_target(target)
    assert micro._base.allocator.abi.name == abi


@pytest.mark.parametrize("target", [None, "m4", Target("cortex-m4", "tflm"), Target("cortex-m55")])
def test_the_smallest_arena_is_the_target_s(target: Any) -> None:
    model, resolver = conv_model(), AllOpsResolver()
    size = smallest_arena(model, target=target)
    micro = MicroInterpreter.in_smallest_arena(model, resolver, target=target)
    assert micro.arena.size == size
    assert ready(size, target=target).allocations() == micro.allocations()


def test_an_arena_that_begins_between_multiples_of_16_loses_bytes() -> None:
    model, target = conv_model(), Target("cortex-m4", arena_address=0x2000_0004)
    needed = smallest_arena(model, target="cortex-m4") + 12
    assert smallest_arena(model, target=target) == needed
    ready(needed, target=target)
    with pytest.raises(ArenaError) as caught:
        ready(needed - 16, target=target)
    assert caught.value.needed == needed


def test_who_shares_an_allocator_shares_its_target() -> None:
    allocator = MicroAllocator.create(1 << 14, target="cortex-m4")
    model, resolver = conv_model(), AllOpsResolver()
    assert MicroInterpreter(model, resolver, allocator=allocator).target == Target("cortex-m4")
    MicroInterpreter(model, resolver, allocator=allocator, target="m4")
    with pytest.raises(ValueError, match=r"the allocator's target \(cortex-m4, .*\), got host,"):
        MicroInterpreter(model, resolver, allocator=allocator, target=HOST)


def test_missing_operators_are_found_at_once() -> None:
    with pytest.raises(Unsupported, match=r"resolver.add\('CONV_2D'\)"):
        MicroInterpreter(conv_model(), MutableOpResolver(), 4096)


# -- constants, variables, shapes


def test_variables_start_at_their_zero_point_and_return_there() -> None:
    b = ModelBuilder()
    x = b.input("x", (4,), "int8", scale=1.0)
    state = b.variable("state", (4,), "int8", scale=1.0, zero_point=-7)
    y = b.tensor("y", (4,), "int8", scale=1.0)
    b.operator("ACCUMULATE", [x, state], [y], custom_options=b"")
    b.output(y)

    def invoke(context: Context, node: Node) -> None:
        x, state, y = (context.get_eval_tensor(i).data for i in (0, 1, 2))
        assert x is not None
        assert state is not None
        assert y is not None
        state += x
        y[...] = state

    resolver = resolver_with("ACCUMULATE", invoke=invoke)
    micro = MicroInterpreter(b.build(), resolver, bytearray(b"\x55" * 4096))
    micro.allocate_tensors()
    micro.input()[...] = 2
    outputs = []
    for step in range(4):
        if step == 2:
            micro.reset()
        micro.invoke()
        outputs.append(micro.output().tolist()[0])
    assert outputs == [-5, -3, -5, -3]


def test_an_output_of_another_size_than_the_model_says_is_refused() -> None:
    def prepare(context: Context, node: Node) -> None:
        context.resize_tensor(node.outputs[0], (3, 5))

    micro = MicroInterpreter(custom_chain(), resolver_with(prepare=prepare), 4096)
    with pytest.raises(ShapeError, match=r"expected an output of shape \[16\] .* got \[3, 5\]"):
        micro.allocate_tensors()


def test_an_output_may_have_another_shape_of_the_same_size() -> None:
    def prepare(context: Context, node: Node) -> None:
        context.resize_tensor(node.outputs[0], (4, 4))

    def invoke(context: Context, node: Node) -> None:
        assert context.get_eval_tensor(node.outputs[0]).shape == (4, 4)

    resolver = resolver_with(prepare=prepare, invoke=invoke)
    micro = MicroInterpreter(custom_chain(), resolver, 4096)
    micro.allocate_tensors()
    micro.invoke()


def test_a_dynamic_output_is_refused() -> None:
    model = custom_chain()
    tensors = model.main.tensors
    dynamic = replace(tensors[1], shape=(-1,))
    model = replace(model, subgraphs=(replace(model.main, tensors=(tensors[0], dynamic)),))
    micro = MicroInterpreter(model, resolver_with(), 4096)
    with pytest.raises(ConstraintError, match=r"output tensor 1 has the dynamic shape \[-1\]"):
        micro.allocate_tensors()


@pytest.mark.parametrize("call", ["get_tensor", "get_eval_tensor", "view_tensor"])
@pytest.mark.parametrize("index", [-1, 2, 99])
def test_a_kernel_that_asks_for_a_missing_tensor_gets_the_error(index: int, call: str) -> None:
    def prepare(context: Context, node: Node) -> None:
        getattr(context, call)(index)

    micro = MicroInterpreter(custom_chain(), resolver_with(prepare=prepare), 4096)
    with pytest.raises(ConstraintError, match=f"expected a tensor index from 0 to 1, got {index}"):
        micro.allocate_tensors()


@pytest.mark.parametrize("size", [-1, 1 << 40])
def test_a_kernel_that_asks_for_an_impossible_size_gets_the_error(size: int) -> None:
    def prepare(context: Context, node: Node) -> None:
        context.request_scratch_buffer_in_arena(size)

    micro = MicroInterpreter(custom_chain(), resolver_with(prepare=prepare), 4096)
    with pytest.raises(ConstraintError, match="expected a buffer size from 0 to 2147483647"):
        micro.allocate_tensors()


def test_offline_offsets_are_honoured() -> None:
    model = replace(
        custom_chain(2),
        metadata={"OfflineMemoryAllocation": np.array([1, 0, 3, 64, 0, -1], "<i4").tobytes()},
    )
    micro = MicroInterpreter(model, resolver_with(), 4096)
    micro.allocate_tensors()
    assert [buffer.offset for buffer in micro.plan.buffers] == [64, 0, 16]
    assert micro.arena.head_used == 80


# -- arenas that are too small


@pytest.mark.parametrize("abi", ["lp64", "lp64_public", "ilp32"])
@pytest.mark.parametrize("planner", ["greedy", "linear"])
def test_the_smallest_arena_works_and_16_bytes_less_do_not(abi: str, planner: str) -> None:
    target = Target("host", abi=abi)
    needed = smallest_arena(conv_model(), AllOpsResolver(), planner=planner, target=target)
    assert needed % 16 == 0
    ready(needed, planner=planner, target=target)
    for size in (needed - 16, needed // 2, 16, 0):
        with pytest.raises(ArenaError) as caught:
            ready(size, planner=planner, target=target)
        assert caught.value.needed == needed
        assert str(caught.value).endswith(f"the smallest arena that works is {needed} bytes")


@pytest.mark.parametrize("path", shared_models(), ids=lambda path: path.stem)
@pytest.mark.parametrize("abi", ["lp64", "ilp32"])
def test_preparing_once_gives_the_same_arena_as_preparing_twice(path: Path, abi: str) -> None:
    model, resolver, target = ar.load(path), AllOpsResolver(), Target("host", abi=abi)
    try:
        once = MicroInterpreter.in_smallest_arena(model, resolver, target=target)
    except (ConstraintError, Unsupported):
        pytest.skip("a model that does not run")
    size = smallest_arena(model, resolver, target=target)
    twice = MicroInterpreter(model, resolver, size, target=target)
    twice.allocate_tensors()
    assert once.arena.size == size
    assert once.plan == twice.plan
    assert once.allocations() == twice.allocations()


def test_what_custom_operators_keep_is_in_the_smallest_arena() -> None:
    kept: list[Any] = []

    def prepare(context: Context, node: Node) -> None:
        kept.append(context.allocate_persistent_buffer(48, "mine"))

    micro = MicroInterpreter.in_smallest_arena(custom_chain(), resolver_with(prepare=prepare))
    assert np.shares_memory(kept[-1], micro.arena.view(0, micro.arena.size))
    assert micro.arena.size == smallest_arena(custom_chain(), resolver_with(prepare=prepare))


def test_the_smallest_arena_is_found_by_trying_too() -> None:
    model, resolver = custom_chain(3, 10), resolver_with()
    needed = smallest_arena(model, resolver)
    works = []
    for size in range(0, needed + 64, 16):
        try:
            MicroInterpreter(model, resolver, size).allocate_tensors()
            works.append(size)
        except ArenaError:
            pass
    assert works[0] == needed
    assert works == list(range(needed, needed + 64, 16))


def test_an_interpreter_whose_allocation_failed_does_not_run() -> None:
    micro = MicroInterpreter(conv_model(), AllOpsResolver(), 1024)
    with pytest.raises(ArenaError):
        micro.allocate_tensors()
    for call in (micro.invoke, micro.input, micro.reset):
        with pytest.raises(StateError):
            call()
    with pytest.raises(ArenaError):
        micro.allocate_tensors()


def test_a_failed_allocation_can_be_tried_again() -> None:
    calls: list[str] = []

    def init(context: Context, options: Any) -> str:
        return f"data {len(calls)}"

    def prepare(context: Context, node: Node) -> None:
        calls.append("prepare")
        if len(calls) == 1:
            context.report_error("not yet")

    def free(context: Context, user_data: Any) -> None:
        calls.append(f"free {user_data}")

    resolver = resolver_with(init=init, prepare=prepare, free=free)
    micro = MicroInterpreter(custom_chain(), resolver, 4096)
    tail = micro.arena.tail_used
    with pytest.raises(ConstraintError, match=r"STEP 0 .*: not yet"):
        micro.allocate_tensors()
    assert micro.arena.tail_used == tail
    micro.allocate_tensors()
    del micro
    gc.collect()
    assert calls == ["prepare", "free data 0", "prepare", "free data 2"]


# -- several models in one arena


def test_two_interpreters_share_an_arena() -> None:
    arena = bytearray(1 << 14)
    allocator = MicroAllocator.create(arena)
    first = MicroInterpreter(conv_model(0), AllOpsResolver(), allocator=allocator)
    second = MicroInterpreter(conv_model(1, 4), AllOpsResolver(), allocator=allocator)
    first.allocate_tensors()
    tail = allocator.arena.tail_used
    second.allocate_tensors()
    assert allocator.arena.head_used == first.plan.head > second.plan.head
    assert allocator.arena.tail_used > tail
    for _ in range(2):
        first.input()[...] = image()
        first.invoke()
        np.testing.assert_array_equal(first.output(), expected())
        second.input()[...] = image(1, 4)
        second.invoke()


def test_a_second_model_that_does_not_fit_leaves_the_first_alone() -> None:
    resolver = AllOpsResolver()
    needed = smallest_arena(conv_model(), resolver)
    allocator = MicroAllocator.create(bytearray(needed))
    first = MicroInterpreter(conv_model(), resolver, allocator=allocator)
    first.allocate_tensors()
    first.input()[...] = image()
    second = MicroInterpreter(conv_model(1), resolver, allocator=allocator)
    with pytest.raises(ArenaError) as caught:
        second.allocate_tensors()
    first.invoke()
    np.testing.assert_array_equal(first.output(), expected())
    for size, works in ((caught.value.needed, True), ((caught.value.needed or 0) - 16, False)):
        assert size is not None
        assert both_fit(size) is works


def both_fit(size: int) -> bool:
    allocator = MicroAllocator.create(size)
    try:
        for seed in (0, 1):
            MicroInterpreter(
                conv_model(seed), AllOpsResolver(), allocator=allocator
            ).allocate_tensors()
    except ArenaError:
        return False
    return True


def test_a_target_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a target of host, cortex-m0, .* 'cortex-m99'"):
        ready(target="cortex-m99")


def test_struct_sizes_differ_in_the_tail_only() -> None:
    ilp32, public, package = (
        ready(target=Target("host", abi=abi)) for abi in ("ilp32", "lp64_public", "lp64")
    )
    assert ilp32.arena.head_used == public.arena.head_used == package.arena.head_used
    assert ilp32.arena.tail_used < public.arena.tail_used < package.arena.tail_used


# -- step by step


def test_operators_are_prepared_one_by_one_and_allocation_does_the_rest() -> None:
    prepared: list[int] = []

    def prepare(context: Context, node: Node) -> str:
        prepared.append(node.inputs[0])
        return f"params {node.inputs[0]}"

    micro = MicroInterpreter(custom_chain(3), resolver_with(prepare=prepare), 4096)
    assert micro.prepare_operator(1).params == "params 1"
    assert prepared == [0, 1]
    micro.allocate_tensors()
    assert prepared == [0, 1, 2]
    assert micro.prepare_operator(0).params == "params 0"
    assert prepared == [0, 1, 2]


def test_steps_take_the_arena_that_one_call_takes() -> None:
    stepped = MicroInterpreter(conv_model(), AllOpsResolver(), 1 << 14)
    stepped.prepare_operator(0)
    stepped.allocate_tensors()
    whole = MicroInterpreter(conv_model(), AllOpsResolver(), 1 << 14)
    whole.allocate_tensors()
    assert stepped.allocations() == whole.allocations()
    assert stepped.plan == whole.plan


def test_a_step_that_fails_leaves_the_arena_as_it_was() -> None:
    def prepare(context: Context, node: Node) -> None:
        context.allocate_persistent_buffer(64)
        if node.inputs[0] == fails[0]:
            context.report_error("no")

    fails = [1]
    micro = MicroInterpreter(custom_chain(2), resolver_with(prepare=prepare), 4096)
    used = micro.arena.used
    micro.prepare_operator(0)
    with pytest.raises(ConstraintError, match="no"):
        micro.prepare_operator(1)
    assert micro.arena.used == used
    fails[0] = -1
    micro.allocate_tensors()


def test_operators_run_one_by_one() -> None:
    micro = MicroInterpreter(custom_chain(2), resolver_with(), 4096)
    with pytest.raises(StateError, match="invoke_operator is legal in the invoke phase"):
        micro.invoke_operator(0)
    micro.allocate_tensors()
    micro.input()[...] = 5
    for number in range(2):
        (_, before), (_, after) = (side[0] for side in micro.operator_tensors(number))
        assert before.tolist() == [5] * 16
        micro.invoke_operator(number)
        assert after.tolist() == [5] * 16
    assert micro.output().tolist() == [5] * 16
    for number in (-1, 2):
        with pytest.raises(IndexError, match=f"expected an operator below 2, got {number}"):
            micro.invoke_operator(number)


def test_a_replaced_builtin_takes_the_options_struct_of_its_operator() -> None:
    model, own = conv_model(), AllOpsResolver().find("CONV_2D")
    assert own is not None
    same = replace(own, builtin_data=None)
    replaced = MutableOpResolver().add("CONV_2D", same)
    tails = []
    for resolver in (AllOpsResolver(), replaced):
        micro = MicroInterpreter(model, resolver, 1 << 14, target="cortex-m4")
        micro.allocate_tensors()
        tails.append(
            [r for r in micro.allocations().records if r.category is Category.BUILTIN_DATA]
        )
    assert [r.requested for r in tails[0]] == [r.requested for r in tails[1]]
    assert tails[0]


def test_an_output_that_is_larger_than_what_is_computed_is_refused_with_the_reason():
    b = ModelBuilder()
    x = b.input("x", (1, 4, 4, 1), "float32")
    w = b.constant("w", np.ones((1, 3, 3, 1), np.float32))
    y = b.tensor("y", (1, 4, 4, 1), "float32")
    b.operator("CONV_2D", [x, w], [y], Conv2DOptions(1, 1, 1))
    b.output(y)
    micro = MicroInterpreter(b.build(), AllOpsResolver(), 1 << 14)
    with pytest.raises(ShapeError, match="TFLM believes the model, and leaves a larger output"):
        micro.allocate_tensors()


def test_an_allocator_that_shares_memory_preserves_no_tensors() -> None:
    model, resolver = conv_model(0), AllOpsResolver()
    with pytest.raises(ValueError, match=r"got 'greedy': make the allocator with planner='linear'"):
        MicroInterpreter(
            model, resolver, allocator=MicroAllocator.create(1 << 14), preserve_all_tensors=True
        )
    allocator = MicroAllocator.create(1 << 14, planner="linear")
    micro = MicroInterpreter(model, resolver, allocator=allocator, preserve_all_tensors=True)
    micro.allocate_tensors()
    assert micro.tensor(0) is not None


def test_the_fourth_argument_is_how_much_of_the_buffer_is_used() -> None:
    model, resolver, arena = conv_model(0), AllOpsResolver(), bytearray(1 << 14)
    size = smallest_arena(model, resolver)
    micro = MicroInterpreter(model, resolver, arena, size)
    micro.allocate_tensors()
    assert micro.arena.size == size
    micro.input()[...] = image()
    micro.invoke()
    assert any(arena[:size])
    assert not any(arena[size:])


@pytest.mark.parametrize(
    ("arena", "size", "error"),
    [
        (bytearray(64), 65, "arena_size: expected 0 to 64, the buffer's bytes, got 65"),
        (bytearray(64), -1, "arena_size: expected 0 to 64, the buffer's bytes, got -1"),
        (bytearray(64), "64", "arena_size: expected a number of bytes, got '64'"),
        (64, 64, "arena_size: expected a buffer as the arena, got 64"),
    ],
)
def test_a_size_that_the_buffer_does_not_have_is_refused(arena, size, error) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        MicroInterpreter(conv_model(0), AllOpsResolver(), arena, size)
