"""MicroAllocator allocates what TFLM's does, in its order, and can take it back."""

import pytest

from arenite.errors import ArenaError, ConstraintError, StateError
from arenite.memory.abi import Struct
from arenite.memory.allocator import MicroAllocator
from arenite.memory.recording import Category
from arenite.model import Model, ModelBuilder, Operator
from arenite.target import Target

PUBLIC = Target("host", abi="lp64_public")


def model(size: int = 100, *, quantized: bool = False) -> Model:
    b = ModelBuilder()
    scale = 0.5 if quantized else None
    x = b.input("x", (size,), "int8", scale=scale)
    y = b.tensor("y", (size,), "int8", scale=scale)
    b.operator("RELU", [x], [y])
    b.output(y)
    return b.build()


def allocate(allocator: MicroAllocator, model: Model, *scratch: int) -> int:
    """The calls of an interpreter; returns the size of the plan."""
    allocator.start_model_allocation(model)
    for size in scratch:
        allocator.request_scratch_buffer_in_arena(size, 0, 0)
    allocator.finish_prepare_node_allocations()
    return allocator.finish_model_allocation(model).head


def test_three_layers_build_themselves_into_the_tail() -> None:
    allocator = MicroAllocator.create(1024, target=PUBLIC)
    assert [(r.purpose, r.used, r.offset) for r in allocator.allocations().records] == [
        ("SingleArenaBufferAllocator", 72, 952),
        ("GreedyMemoryPlanner", 72, 880),
        ("MicroAllocator", 72, 808),
    ]


def test_the_layers_are_smaller_where_pointers_are() -> None:
    assert MicroAllocator.create(1024, target="m4").arena.tail_used == 36 + 44 + 36


def test_the_linear_planner_is_large_as_in_tflm() -> None:
    allocator = MicroAllocator.create(1 << 14, planner="linear", target=PUBLIC)
    assert allocator.arena.tail_used == 72 + 8216 + 72


def test_an_arena_without_room_for_the_layers_is_refused() -> None:
    with pytest.raises(ArenaError, match="the arena of 128 bytes is too small"):
        MicroAllocator.create(128)


def test_an_unknown_planner_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a planner of greedy, linear"):
        MicroAllocator.create(1024, planner="best")


def test_a_model_is_allocated_in_tflms_order() -> None:
    allocator = MicroAllocator.create(4096)
    allocate(allocator, model(), 10)
    purposes = [record.purpose for record in allocator.allocations().records[3:]]
    assert purposes == [
        "MicroBuiltinDataAllocator",
        "SubgraphAllocations",
        "TfLiteEvalTensor",
        "NodeAndRegistration",
        "ScratchBufferHandle",
    ]


def test_the_head_is_the_plan_with_buffers_rounded_to_16() -> None:
    allocator = MicroAllocator.create(4096)
    assert allocate(allocator, model(100), 1) == 112 + 112 + 16
    assert allocator.arena.head_used == 240


def test_during_prepare_the_head_holds_requests_for_scratch_memory() -> None:
    allocator = MicroAllocator.create(4096)
    allocator.start_model_allocation(model())
    assert allocator.arena.head_used == 12 * 16
    allocator.request_scratch_buffer_in_arena(10, 0, 0)
    allocator.finish_prepare_node_allocations()
    assert allocator.arena.head_used == 13 * 16


def test_an_operator_may_request_12_scratch_buffers() -> None:
    allocator = MicroAllocator.create(4096)
    allocator.start_model_allocation(model())
    for handle in range(12):
        assert allocator.request_scratch_buffer_in_arena(1, 0, 0) == handle
    with pytest.raises(ConstraintError, match="may request 12 scratch buffers, operator 0 of"):
        allocator.request_scratch_buffer_in_arena(1, 0, 0)
    allocator.finish_prepare_node_allocations()
    assert allocator.request_scratch_buffer_in_arena(1, 0, 1) == 12


def test_temporary_tensors_pile_up_until_the_node_is_prepared() -> None:
    allocator = MicroAllocator.create(4096)
    allocator.start_model_allocation(model(quantized=True))
    head = allocator.arena.head_used
    (blocks,) = allocator.tensor_blocks([1])
    allocator.arena.touch_temp(blocks)
    assert allocator.arena.head_used == head + 64 + 24 + 8
    allocator.arena.touch_temp(blocks)
    assert allocator.arena.head_used == head + 2 * (64 + 24 + 8)
    allocator.finish_prepare_node_allocations()
    assert allocator.arena.head_used == head


@pytest.mark.parametrize(("quantized", "used"), [(False, 0), (True, 24 + 8)])
def test_persistent_tensors_carry_their_quantisation(quantized: bool, used: int) -> None:
    allocator = MicroAllocator.create(4096)
    allocator.allocate_persistent_tflite_tensor(model(quantized=quantized).inputs[0])
    table = allocator.allocations()
    assert table.category(Category.PERSISTENT_TENSOR).requested_bytes == 64
    assert table.category(Category.QUANTIZATION).used_bytes == used


def test_persistent_buffers_are_zeroed_and_recorded_with_who_asked() -> None:
    memory = bytearray(b"\xff" * 1024)
    allocator = MicroAllocator.create(memory)
    operators = [Operator("SOFTMAX", (), ())] * 4
    view = allocator.allocate_persistent_buffer(10, "lut", (operators, 3))
    assert view.tolist() == [0] * 10
    record = allocator.allocations().records[-1]
    assert (record.category, record.requested, record.purpose, record.operator) == (
        Category.PERSISTENT_BUFFER,
        10,
        "lut",
        "#3 SOFTMAX",
    )
    assert memory[record.offset : record.offset + 11] == b"\0" * 10 + b"\xff"


def test_builtin_data_is_aligned_like_its_struct() -> None:
    allocator = MicroAllocator.create(1024)
    operators = [Operator("ADD", (), ())]
    allocator.allocate_builtin_data(Struct("Params", ("int", "bool")), (operators, 0))
    assert allocator.allocations().records[-1].used == 8


def test_variables_live_in_the_tail() -> None:
    b = ModelBuilder()
    b.variable("state", (30,), "int8")
    allocator = MicroAllocator.create(4096)
    allocator.start_model_allocation(b.build())
    plan = allocator.finish_model_allocation(b.build())
    assert [(v.name, v.kind, v.size) for v in plan.buffers] == [("state", "variable", 30)]
    assert plan.buffers[0].offset >= allocator.arena.tail
    assert allocator.allocations().category(Category.VARIABLE).requested_bytes == 30


def test_resource_variables_take_a_struct_and_a_table() -> None:
    allocator = MicroAllocator.create(1024)
    allocator.allocate_resource_variables(2)
    assert [r.requested for r in allocator.allocations().records[3:]] == [16, 80]


def test_models_share_the_head_and_add_up_in_the_tail() -> None:
    small, large = model(16), model(512)
    alone = MicroAllocator.create(8192)
    allocate(alone, small)
    first_tail = alone.arena.tail_used
    layers = MicroAllocator.create(8192).arena.tail_used
    for order in ([small, large], [large, small]):
        allocator = MicroAllocator.create(8192)
        for one in order:
            allocate(allocator, one)
        assert allocator.arena.head_used == 1024
        assert allocator.arena.tail_used == 2 * first_tail - layers


def test_a_model_must_be_finished_before_the_next_starts() -> None:
    allocator = MicroAllocator.create(4096)
    with pytest.raises(StateError, match="comes before finish_model_allocation"):
        allocator.finish_model_allocation(model())
    allocator.start_model_allocation(model())
    with pytest.raises(StateError, match="another model's allocation was started"):
        allocator.start_model_allocation(model())


def test_a_rollback_forgets_a_failed_model() -> None:
    allocator = MicroAllocator.create(4096)
    allocate(allocator, model(64))
    before, arena = allocator.allocations(), allocator.arena.checkpoint()
    checkpoint = allocator.checkpoint()
    with pytest.raises(ArenaError):
        allocate(allocator, model(8000))
    allocator.rollback(checkpoint)
    assert allocator.allocations() == before
    assert allocator.arena.checkpoint() == arena
    assert allocate(allocator, model(128)) == 256


def test_an_allocator_without_end_continues_where_the_real_one_is() -> None:
    real = MicroAllocator.create(8192)
    allocate(real, model(512))
    twin = real.unlimited()
    for allocator in (real, twin):
        allocate(allocator, model(64))
    assert twin.arena.tail_used == real.arena.tail_used
    assert twin.arena.head_used == real.arena.head_used == 1024


def test_the_table_adds_up_to_the_tail() -> None:
    allocator = MicroAllocator.create(8192)
    allocate(allocator, model(100), 7)
    table = allocator.allocations()
    assert table.total == table.head + table.tail
    assert sum(category.used_bytes for category in table.categories) == table.tail
    assert sum(record.used for record in table.records) == table.tail


def test_arrays_count_their_elements_as_tflm_does() -> None:
    allocator = MicroAllocator.create(8192)
    allocate(allocator, model())
    table = allocator.allocations()
    assert table.category(Category.EVAL_TENSOR).count == 2
    assert table.category(Category.NODE_AND_REGISTRATION).count == 1
    assert table.category(Category.VARIABLE).count == 0


def test_the_table_is_readable_and_plain() -> None:
    allocator = MicroAllocator.create(8192, target=PUBLIC)
    table = allocator.allocations()
    assert repr(table).splitlines() == [
        "arena: 216 bytes used, head 0, tail 216",
        "  Allocator and planner structs  used     216  requested     216  count 3",
    ]
    plain = table.to_dict()
    assert plain["categories"][0]["used_bytes"] == 216
    assert plain["records"][0]["category"] == "Allocator and planner structs"


def test_an_allocator_says_how_full_it_is() -> None:
    allocator = MicroAllocator.create(4096)
    assert repr(allocator) == (
        f"<MicroAllocator: greedy planner, structs of lp64, head 0, "
        f"tail {allocator.arena.tail_used} bytes>"
    )


def test_the_categories_are_named_as_tflm_prints_them() -> None:
    assert [category.value for category in Category][:6] == [
        "TfLiteEvalTensor data",
        "Persistent TfLiteTensor data",
        "Persistent TfLiteTensor quantization data",
        "Persistent buffer data",
        "TfLiteTensor variable buffer data",
        "NodeAndRegistration struct",
    ]
