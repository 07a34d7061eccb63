"""The arena's five pointers move as TFLM's do, and never cross."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.errors import ArenaError, StateError
from arenite.memory.abi import Blocks
from arenite.memory.arena import SingleArenaBufferAllocator, arena_map


def arena(size: int = 1024) -> SingleArenaBufferAllocator:
    return SingleArenaBufferAllocator(bytearray(size))


def test_the_most_that_head_and_temporary_memory_took_is_known() -> None:
    a = arena()
    a.allocate_persistent_buffer(64)
    temp = a.allocate_temp(100, 16)
    assert a.head_high_water == 100
    a.deallocate_temp(temp)
    a.reset_temp_allocations()
    a.reserve_non_persistent_overlay_memory(48)
    assert a.head_high_water == 100


def test_persistent_buffers_move_the_tail_down_to_aligned_places() -> None:
    a = arena()
    assert a.allocate_persistent_buffer(10, 16) == 1008
    assert a.allocate_persistent_buffer(3, 4) == 1004
    assert (a.tail_used, a.head_used, a.used) == (20, 0, 20)


def test_temporary_buffers_move_temp_up_and_return_at_the_reset() -> None:
    a = arena()
    first, second = a.allocate_temp(10, 1), a.allocate_temp(4, 16)
    assert (first, second, a.temp, a.head) == (0, 16, 20, 0)
    a.deallocate_temp(first)
    with pytest.raises(StateError, match="1 temporary buffers are still held"):
        a.reset_temp_allocations()
    a.deallocate_temp(second)
    assert a.is_all_temp_deallocated
    assert a.temp == 20
    a.reset_temp_allocations()
    assert a.temp == 0


def test_a_temporary_buffer_is_given_back_once() -> None:
    a = arena()
    block = a.allocate_temp(8)
    a.deallocate_temp(block)
    with pytest.raises(StateError, match="no temporary buffer starts at offset 0"):
        a.deallocate_temp(block)


def test_resizing_commits_the_head_and_resets_temp() -> None:
    a = arena()
    block = a.allocate_resizable_buffer(100)
    assert (a.head, a.temp) == (100, 100)
    a.resize_buffer(block, 60)
    assert (a.head, a.temp) == (60, 60)
    a.deallocate_resizable_buffer(block)
    assert a.head == 0


def test_resizing_while_temporary_memory_is_held_is_refused() -> None:
    a = arena()
    block = a.allocate_resizable_buffer(100)
    a.allocate_temp(8)
    with pytest.raises(StateError, match="only after reset_temp_allocations"):
        a.resize_buffer(block, 60)


def test_only_the_first_block_can_be_resized() -> None:
    with pytest.raises(StateError, match="only the block at the start"):
        arena().resize_buffer(16, 60)


def test_the_tail_stops_at_temporary_memory_where_tflm_would_overwrite_it() -> None:
    a = arena(64)
    a.allocate_temp(32)
    a.allocate_persistent_buffer(32)
    with pytest.raises(ArenaError) as caught:
        a.allocate_persistent_buffer(1)
    assert (caught.value.requested, caught.value.available) == (1, 0)
    assert str(caught.value) == (
        "the arena of 64 bytes is too small: 1 bytes of persistent memory were requested, "
        "0 are available"
    )


def test_the_tail_stops_at_the_tensors_of_another_model() -> None:
    a = arena(64)
    a.reserve_non_persistent_overlay_memory(48)
    a.allocate_resizable_buffer(16)
    with pytest.raises(ArenaError):
        a.allocate_persistent_buffer(32)


@pytest.mark.parametrize("call", ["allocate_temp", "allocate_resizable_buffer"])
def test_the_low_end_stops_at_the_tail(call: str) -> None:
    a = arena(64)
    a.allocate_persistent_buffer(16)
    with pytest.raises(ArenaError) as caught:
        getattr(a, call)(49, 16)
    assert (caught.value.requested, caught.value.available) == (49, 48)
    assert getattr(a, call)(48, 16) == 0


def test_a_failed_call_leaves_the_pointers_alone() -> None:
    a = arena(64)
    before = a.checkpoint()
    with pytest.raises(ArenaError):
        a.allocate_persistent_buffer(65)
    with pytest.raises(ArenaError):
        a.allocate_temp(65)
    assert a.checkpoint() == before


def test_available_memory_counts_whole_blocks() -> None:
    a = arena(64)
    a.allocate_temp(1)
    a.allocate_persistent_buffer(1, 1)
    assert a.available_memory(16) == 32
    assert a.available_memory(1) == 62


def test_views_are_the_users_memory() -> None:
    memory = bytearray(64)
    a = SingleArenaBufferAllocator(memory)
    a.view(16, 4)[...] = 7
    assert memory[16:20] == b"\7\7\7\7"
    assert sum(memory) == 28


@pytest.mark.parametrize(
    "memory", [bytearray(64), memoryview(bytearray(64)), np.zeros((4, 4), np.float32), 64]
)
def test_any_writable_buffer_will_do(memory: bytearray) -> None:
    assert SingleArenaBufferAllocator(memory).size == 64


@pytest.mark.parametrize("memory", [b"0" * 64, memoryview(b"0" * 64)])
def test_a_read_only_buffer_is_refused(memory: bytearray) -> None:
    with pytest.raises(ValueError, match="expected a writable buffer"):
        SingleArenaBufferAllocator(memory)


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an arena size of 0 or more bytes, got -1"):
        SingleArenaBufferAllocator(-1)


def test_an_impossible_size_is_an_arena_error() -> None:
    with pytest.raises(ArenaError, match="this machine has no"):
        SingleArenaBufferAllocator(1 << 62)


def test_an_unaligned_start_loses_the_bytes_before_the_next_multiple_of_16() -> None:
    memory = bytearray(64)
    a = SingleArenaBufferAllocator(memory, address=4)
    assert a.size == 52
    a.view(0, 1)[...] = 9
    assert memory[12] == 9


def test_an_arena_without_memory_counts_only() -> None:
    a = SingleArenaBufferAllocator(None)
    a.allocate_temp(1 << 40)
    a.allocate_persistent_buffer(100)
    assert a.used == (1 << 40) + 112
    assert repr(a) == "<arena without end: head 1099511627776, tail 112 bytes>"


def test_the_high_water_mark_is_the_most_that_was_in_use() -> None:
    a = arena()
    block = a.allocate_temp(100)
    a.allocate_persistent_buffer(16)
    a.deallocate_temp(block)
    a.reset_temp_allocations()
    a.allocate_persistent_buffer(16)
    assert (a.used, a.high_water) == (32, 116)


def test_a_touched_temporary_buffer_counts_and_needs_not_be_given_back() -> None:
    a = arena(64)
    a.touch_temp(Blocks.of((10, 16)))
    a.touch_temp(Blocks.of((4, 16)))
    assert (a.temp, a.high_water, a.is_all_temp_deallocated) == (20, 20, True)
    with pytest.raises(ArenaError, match=r"33 bytes of temporary memory .*, 32 are available"):
        a.touch_temp(Blocks.of((33, 16)))
    a.reset_temp_allocations()
    assert a.temp == 0


def test_an_arena_without_end_shrinks_to_what_it_needs() -> None:
    a = SingleArenaBufferAllocator(None)
    persistent = a.allocate_persistent_buffer(30)
    a.touch_temp(Blocks.of((100, 16)))
    a.reset_temp_allocations()
    moved = a.shrink()
    assert (a.size, a.used, a.tail) == (144, 32, 112)
    assert persistent - moved == 112
    a.view(112, 32)[...] = 7
    assert a.view(0, 144).sum() == 7 * 32


def test_an_arena_with_memory_does_not_shrink() -> None:
    with pytest.raises(StateError, match="only an arena without end"):
        arena().shrink()


def test_the_map_is_drawn_to_scale() -> None:
    a = arena(1200)
    a.allocate_resizable_buffer(300)
    a.allocate_temp(100, 1)
    a.allocate_persistent_buffer(200)
    assert repr(a).splitlines() == [
        "arena of 1200 bytes",
        "[" + "#" * 15 + "t" * 5 + "." * 30 + "=" * 10 + "]",
        "# head 300  t temp 100  . free 592  = tail 208",
    ]


@given(*[st.integers(0, 10_000)] * 4)
@settings(max_examples=50, derandomize=True)
def test_the_map_always_fills_its_width(head: int, temp: int, free: int, tail: int) -> None:
    bar = arena_map(head + temp + free + tail, head, temp, tail).splitlines()[1]
    assert len(bar) == 62


calls = st.lists(
    st.tuples(
        st.sampled_from(["persistent", "temp", "resize", "give back", "reset"]),
        st.integers(0, 400),
        st.sampled_from([1, 4, 8, 16]),
    ),
    max_size=30,
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(calls)
def test_pointers_keep_their_order_under_any_calls(steps: list[tuple[str, int, int]]) -> None:
    a = arena(1000)
    held: list[int] = []
    taken: list[tuple[int, int]] = []
    for call, size, alignment in steps:
        try:
            if call == "persistent":
                start = a.allocate_persistent_buffer(size, alignment)
                assert start % alignment == 0
                taken.append((start, start + size))
            elif call == "temp":
                held.append(a.allocate_temp(size, alignment))
                assert held[-1] % alignment == 0
            elif call == "resize":
                a.resize_buffer(0, size, alignment)
            elif call == "give back" and held:
                a.deallocate_temp(held.pop())
            elif call == "reset":
                a.reset_temp_allocations()
        except (ArenaError, StateError):
            pass
        assert 0 == a.buffer_head <= a.head <= a.temp <= a.tail <= a.buffer_tail == 1000
        assert a.used <= a.high_water <= a.size
    taken.sort()
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(taken))
    assert all(start >= a.tail for start, _ in taken)


CALLS = [
    "allocate_persistent_buffer",
    "allocate_temp",
    "allocate_resizable_buffer",
    "reserve_non_persistent_overlay_memory",
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("size", "alignment", "said"),
    [
        (-16, 16, "expected a size of 0 or more bytes, got -16"),
        (16, 0, "expected a power of two as alignment, got 0"),
        (16, -4, "expected a power of two as alignment, got -4"),
        (16, 12, "expected a power of two as alignment, got 12"),
    ],
)
def test_what_would_move_a_pointer_backwards_is_refused(
    call: str, size: int, alignment: int, said: str
) -> None:
    arena = SingleArenaBufferAllocator(1024)
    before = arena.checkpoint()
    with pytest.raises(ValueError, match=said):
        getattr(arena, call)(size, alignment)
    assert arena.checkpoint() == before


@pytest.mark.parametrize("call", CALLS)
def test_huge_sizes_and_alignments_do_not_fit(call: str) -> None:
    arena = SingleArenaBufferAllocator(1024)
    for size, alignment in ((1 << 64, 16), (1 << 200, 1), (1 << 64, 1 << 70)):
        before = arena.checkpoint()
        with pytest.raises(ArenaError):
            getattr(arena, call)(size, alignment)
        assert arena.checkpoint() == before


def test_temporary_tensors_of_negative_size_are_refused() -> None:
    arena = SingleArenaBufferAllocator(1024)
    with pytest.raises(ValueError, match="expected a size of 0 or more bytes, got -1"):
        arena.touch_temp(Blocks.of((8, 8), (-1, 8)))
    assert arena.temp == 0


def test_touched_blocks_lie_as_if_they_were_allocated_one_by_one() -> None:
    parts = ((10, 16), (3, 8), (5, 4))
    touched, one_by_one = arena(), arena()
    for a in (touched, one_by_one):
        a.allocate_temp(3, 1)
    touched.touch_temp(Blocks.of(*parts))
    for part in parts:
        one_by_one.allocate_temp(*part)
    assert touched.temp == one_by_one.temp == 41


def test_the_first_touched_block_without_room_is_named() -> None:
    a = arena(64)
    with pytest.raises(ArenaError, match=r"40 bytes of temporary memory .*, 32 are available"):
        a.touch_temp(Blocks.of((20, 16), (40, 16), (1, 1)))
    assert a.temp == 0


def test_blocks_whose_gaps_depend_on_where_they_begin_are_refused() -> None:
    with pytest.raises(ValueError, match="expected alignments up to the first one, 8, got 16"):
        Blocks.of((8, 8), (8, 16))
