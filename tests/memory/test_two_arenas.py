"""Two arenas: persistent memory in one buffer, tensors and temporary memory in another."""

import numpy as np
import pytest

import arenite as ar
from arenite.memory.two_arenas import TwoArenas
from tests.runtime.models import custom_chain
from tests.shared import DIGITS

TARGET = "cortex-m4"


def sizes() -> tuple[int, int]:
    """How large the two have to be, as ``arenite memory --splits`` counts them."""
    from arenite.memory.abi import align_up
    from arenite.ops import AllOpsResolver
    from arenite.runtime.allocation import dry_run
    from arenite.runtime.interpreter_config import Setup

    parts = ar.MicroAllocator.create(None, target=TARGET, is_parted=True)
    resolver = Setup.of(TARGET).resolver(AllOpsResolver())
    allocations = dry_run(ar.load(DIGITS), resolver, parts)
    return align_up(allocations.tail, 16), align_up(parts.arena.head_high_water, 16)


def interpreter(persistent: object, non_persistent: object) -> ar.MicroInterpreter:
    allocator = ar.MicroAllocator.create(persistent, non_persistent, target=TARGET)  # type: ignore[arg-type]
    micro = ar.MicroInterpreter(DIGITS, ar.AllOpsResolver(), allocator=allocator)
    micro.allocate_tensors()
    return micro


def test_a_model_runs_in_just_what_splits_counts_with_the_same_bits() -> None:
    tail, head = bytearray(sizes()[0]), bytearray(sizes()[1])
    micro = interpreter(tail, head)
    x = np.random.default_rng(0).integers(-128, 128, micro.input(0).shape).astype(np.int8)
    micro.input(0)[...] = x
    micro.invoke()
    assert np.array_equal(micro.output(0), ar.Interpreter(DIGITS, target=TARGET)(x))
    assert np.shares_memory(micro.output(0), np.frombuffer(head, np.uint8))
    assert not np.shares_memory(micro.output(0), np.frombuffer(tail, np.uint8))


@pytest.mark.parametrize(
    ("less", "which"), [((16, 0), "the persistent arena"), ((0, 16), "the non-persistent arena")]
)
def test_neither_arena_may_be_smaller(less: tuple[int, int], which: str) -> None:
    tail, head = (size - one for size, one in zip(sizes(), less, strict=True))
    with pytest.raises(ar.ArenaError, match=rf"{which} of \d+ bytes is too small: \d+ bytes"):
        interpreter(tail, head)


def test_models_share_both_arenas() -> None:
    allocator = ar.MicroAllocator.create(10_000, 5_000, target=TARGET)
    used = []
    for _ in range(2):
        micro = ar.MicroInterpreter(DIGITS, ar.AllOpsResolver(), allocator=allocator)
        micro.allocate_tensors()
        used.append((allocator.arena.tail_used, allocator.arena.head_used))
    assert used[1][0] > used[0][0]
    assert used[1][1] == used[0][1]


def test_its_buffer_allocators_say_how_much_is_left() -> None:
    allocator = ar.MicroAllocator.create(10_000, 5_000, target=TARGET)
    arena = allocator.non_persistent_buffer_allocator
    assert isinstance(arena, TwoArenas)
    assert arena is allocator.persistent_buffer_allocator
    assert arena.sizes == (10_000, 5_000)
    assert arena.available_memory() == 4_992
    assert repr(arena).endswith("non-persistent 0 of 5000 bytes>")


def test_a_temporary_tensor_takes_temporary_memory() -> None:
    allocator = ar.MicroAllocator.create(4096)
    allocator.allocate_temp_tflite_tensor(custom_chain().inputs[0])
    assert allocator.arena.head_used == 64  # of TFLM's package, without scales
    allocator.arena.reset_temp_allocations()
    assert allocator.arena.head_used == 0


def test_a_non_persistent_arena_has_a_persistent_one_beside_it() -> None:
    with pytest.raises(ValueError, match="expected a persistent arena"):
        ar.MicroAllocator.create(None, 4096)


def test_inputs_and_outputs_are_tensors_with_scale_and_zero_point() -> None:
    micro = interpreter(10_000, 5_000)
    model = ar.load(DIGITS)
    for tensor, said in (
        (micro.input_tensor(0), model.inputs[0]),
        (micro.output_tensor(0), model.outputs[0]),
    ):
        assert said.quantization is not None
        assert (tensor.name, tensor.shape, tensor.type) == (said.name, said.shape, said.type)
        assert tensor.scale == said.quantization.scale[0]
        assert tensor.zero_point == said.quantization.zero_point[0]
        assert tensor.data is not None
    assert np.shares_memory(micro.input_tensor(0).data, micro.input(0))  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        micro.input_tensor(1)
