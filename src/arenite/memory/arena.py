"""The tensor arena: one block of memory that is filled from both ends.

``SingleArenaBufferAllocator`` keeps TFLM's five pointers
(``arena_allocator/single_arena_buffer_allocator.cc``):

    buffer_head        head       temp              tail         buffer_tail
    |  planned tensors | temporary |  free          | persistent |

Pointers are byte offsets from the arena's aligned start, so results do not depend on
where Python put the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.callable_modules import html_of
from arenite.errors import ArenaError, StateError
from arenite.memory.abi import Blocks, align_down, align_up, check_block
from arenite.memory.budget import Budget

#: Alignment of the arena and of everything that kernels get from it.
ARENA_ALIGNMENT = 16
#: Size of an arena that has no memory and no end; a multiple of the alignment.
UNLIMITED = 1 << 62

Bytes = npt.NDArray[np.uint8]
Memory = bytearray | memoryview | npt.NDArray[Any]

_MAP_WIDTH = 60


class Checkpoint(NamedTuple):
    """Positions of the arena's pointers, to return to when an allocation fails midway."""

    head: int
    temp: int
    tail: int
    committed: int
    temp_buffers: tuple[int, ...]
    taken: int


class SingleArenaBufferAllocator:
    """The pointers of an arena, and the memory behind them.

    Args:
        memory: A writable buffer (``bytearray``, ``memoryview``, array), a size in bytes to
            take from the heap, or None for an arena without memory and without end, which
            only counts.
        address: Where the memory starts for the sake of alignment. TFLM skips bytes until
            the address is a multiple of 16; by default it is one.
    """

    def __init__(self, memory: Memory | int | None, *, address: int = 0) -> None:
        #: Bytes before the first aligned one, which are not used.
        self.skipped = align_up(address, ARENA_ALIGNMENT) - address
        self._memory = None if memory is None else as_bytes(memory)[self.skipped :]
        self.buffer_head = 0
        self.buffer_tail = UNLIMITED if self._memory is None else len(self._memory)
        self.head = self.buffer_head
        self.temp = self.buffer_head
        self.tail = self.buffer_tail
        self.committed = self.buffer_head
        self._temp_buffers: list[int] = []
        self._high_water = self._head_high_water = 0
        #: What the interpreters on this arena may take from the machine.
        self.budget = Budget()

    # -- the tail: what lives as long as the interpreter

    def allocate_persistent_buffer(self, size: int, alignment: int = ARENA_ALIGNMENT) -> int:
        """Move the tail down by ``size`` bytes and return the new block's offset.

        TFLM compares with ``head`` and may overwrite temporary memory, or the tensors of
        another model that shares the arena; this compares with the end of both.

        Raises:
            ArenaError: The block would reach into memory that is in use.
            ValueError: The size is negative, or the alignment no power of two.
        """
        if size < 0 or alignment < 1 or alignment & (alignment - 1):
            check_block(size, alignment)  # which says what is wrong
        start = (self.tail - size) & -alignment
        floor = self.temp if self.temp > self.committed else self.committed
        if start < floor:
            raise self._too_small("persistent", size, self.tail - floor)
        self.tail = start
        return start

    # -- temporary memory: until the current operator is prepared

    def allocate_temp(self, size: int, alignment: int = ARENA_ALIGNMENT) -> int:
        """Move ``temp`` up by ``size`` bytes and return the new block's offset.

        Raises:
            ArenaError: The block would reach into the tail.
            ValueError: The size is negative, or the alignment no power of two.
        """
        check_block(size, alignment)
        start = align_up(self.temp, alignment)
        if start + size > self.tail:
            raise self._too_small("temporary", size, self.tail - start)
        self.temp = start + size
        self._temp_buffers.append(start)
        return start

    def touch_temp(self, blocks: Blocks) -> None:
        """Allocate temporary blocks, and give them back at once.

        Their bytes return with the reset.

        Raises:
            ArenaError: A block would reach into the tail.
        """
        end = (self.temp + blocks.alignment - 1 & -blocks.alignment) + blocks.size
        if end > self.tail:
            raise self._too_small_for_one(blocks.parts)
        self.temp = end

    def deallocate_temp(self, offset: int) -> None:
        """Mark a temporary block as given back; its bytes return with the reset.

        Raises:
            StateError: There is no such block.
        """
        if offset not in self._temp_buffers:
            raise StateError(f"no temporary buffer starts at offset {offset}")
        self._temp_buffers.remove(offset)

    @property
    def is_all_temp_deallocated(self) -> bool:
        """Whether every temporary block was given back."""
        return not self._temp_buffers

    def reset_temp_allocations(self) -> None:
        """Return ``temp`` to ``head``.

        Raises:
            StateError: Temporary blocks are still held.
        """
        if self._temp_buffers:
            raise StateError(f"{len(self._temp_buffers)} temporary buffers are still held")
        self._note_use()
        self.temp = self.head

    # -- the head: one resizable block

    def allocate_resizable_buffer(self, size: int, alignment: int = ARENA_ALIGNMENT) -> int:
        """Begin the one resizable block, at the arena's start."""
        check_block(size, alignment)
        start = align_up(self.buffer_head, alignment)
        self.resize_buffer(start, size, alignment)
        return start

    def resize_buffer(self, offset: int, size: int, alignment: int = ARENA_ALIGNMENT) -> None:
        """Set the end of the resizable block; this is what moves ``head``.

        Raises:
            StateError: ``offset`` is not the block's, or temporary memory is in use.
            ArenaError: The block would reach into the tail.
            ValueError: The size is negative, or the alignment no power of two.
        """
        check_block(size, alignment)
        start = align_up(self.buffer_head, alignment)
        if offset != start or self.head != self.temp:
            raise StateError(
                "only the block at the start of the arena can be resized, and only after "
                f"reset_temp_allocations(): block {offset}, head {self.head}, temp {self.temp}"
            )
        if start + size > self.tail:
            raise self._too_small("head", size, self.tail - start)
        self._note_use()
        self.head = self.temp = start + size

    def deallocate_resizable_buffer(self, offset: int) -> None:
        """Shrink the resizable block to nothing."""
        self.resize_buffer(offset, 0, 1)

    def reserve_non_persistent_overlay_memory(
        self, size: int, alignment: int = ARENA_ALIGNMENT
    ) -> None:
        """Make the head ``size`` bytes long: the room for planned tensors, from now on."""
        check_block(size, alignment)
        self.resize_buffer(align_up(self.buffer_head, alignment), size, alignment)
        self.committed = self.head

    # -- what is there

    def view(self, offset: int, size: int) -> Bytes:
        """``size`` bytes of the arena at ``offset``; fresh zeros where it has no memory."""
        if self._memory is None:
            return self._fresh(size)
        return self._memory[offset : offset + size]

    def array(self, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """An array of the arena at ``offset``; fresh zeros where it has no memory."""
        memory = self._memory
        if memory is None:
            memory, offset = self._fresh(dtype.itemsize * prod(shape)), 0
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, memory, offset)
        return array

    def zeroed_view(self, offset: int, size: int) -> Bytes:
        """The same, filled with zeros."""
        if self._memory is None:
            return self._fresh(size)
        view = self._memory[offset : offset + size]
        view[...] = 0
        return view

    def available_memory(self, alignment: int = ARENA_ALIGNMENT) -> int:
        """Bytes between temp and tail in whole aligned blocks."""
        check_block(0, alignment)
        free = align_down(self.tail, alignment) - align_up(self.temp, alignment)
        return max(free, 0)

    @property
    def size(self) -> int:
        """Bytes of the arena."""
        return self.buffer_tail - self.buffer_head

    @property
    def is_endless(self) -> bool:
        """Whether it has no memory and only counts."""
        return self._memory is None

    @property
    def head_used(self) -> int:
        """Bytes in use from the start: head and temporary memory."""
        return max(self.head, self.temp) - self.buffer_head

    @property
    def tail_used(self) -> int:
        """Bytes in use from the end: persistent memory."""
        return self.buffer_tail - self.tail

    @property
    def used(self) -> int:
        """Bytes in use at both ends."""
        return self.head_used + self.tail_used

    @property
    def high_water(self) -> int:
        """The largest ``used`` that ever was: this much arena the same calls need."""
        self._note_use()
        return self._high_water

    @property
    def head_high_water(self) -> int:
        """The most that head and temporary memory ever took: an arena of their own needs that."""
        self._note_use()
        return self._head_high_water

    @property
    def address(self) -> int:
        """Address of the arena's first byte in this process, 0 where it has no memory."""
        return 0 if self._memory is None else int(self._memory.ctypes.data)

    # -- undoing a failed allocation

    def checkpoint(self) -> Checkpoint:
        """The pointers as they are."""
        return Checkpoint(
            self.head,
            self.temp,
            self.tail,
            self.committed,
            tuple(self._temp_buffers),
            self.budget.taken,
        )

    def rollback(self, checkpoint: Checkpoint) -> None:
        """Put the pointers back."""
        self._note_use()
        self.head, self.temp, self.tail = checkpoint.head, checkpoint.temp, checkpoint.tail
        self.committed = checkpoint.committed
        self._temp_buffers = list(checkpoint.temp_buffers)
        self.budget.taken = checkpoint.taken

    def unlimited(self) -> SingleArenaBufferAllocator:
        """An arena without memory and end in which as much is in use as in this one."""
        twin = SingleArenaBufferAllocator(None, address=ARENA_ALIGNMENT - self.skipped)
        twin.head, twin.temp, twin.committed = self.head, self.temp, self.committed
        twin.tail = twin.buffer_tail - self.tail_used
        return twin

    # -- an arena that finds its own size

    def shrink(self) -> int:
        """Give an arena without memory and end as much as was ever in use, and that end.

        Blocks in the tail keep their distance from the end.

        Returns:
            By how many bytes they moved down.

        Raises:
            StateError: The arena has memory.
            MemoryLimitError: So much is not allowed.
        """
        if self._memory is not None:
            raise StateError("only an arena without end can shrink to what it needs")
        size = align_up(self.high_water, ARENA_ALIGNMENT)
        moved = self.buffer_tail - size
        self.budget.take(size, "the arena")
        self._memory = _aligned_zeros(size)
        self.buffer_tail = size
        self.tail -= moved
        return moved

    def _fresh(self, size: int) -> Bytes:
        self.budget.take(size, "persistent memory")
        return _zeros(size)

    def _note_use(self) -> None:
        # Before memory returns: until then there is always more in use. `temp` is not below `head`.
        head = self.temp - self.buffer_head
        if head > self._head_high_water:  # noqa: PLR1730 - faster
            self._head_high_water = head
        used = head + self.buffer_tail - self.tail
        if used > self._high_water:  # noqa: PLR1730 - faster
            self._high_water = used

    def _too_small_for_one(self, parts: Sequence[tuple[int, int]]) -> ArenaError:
        """The error of the first temporary block for which there is no room."""
        end = self.temp
        for size, alignment in parts:
            start = align_up(end, alignment)
            end = start + size
            if end > self.tail:
                break
        return self._too_small("temporary", size, self.tail - start)

    def _too_small(self, region: str, size: int, free: int) -> ArenaError:
        return ArenaError(
            f"the arena of {self.size} bytes is too small: {size} bytes of {region} memory were "
            f"requested, {max(free, 0)} are available",
            requested=size,
            available=max(free, 0),
        )

    _repr_html_ = html_of

    def __repr__(self) -> str:
        if self._memory is None:
            return f"<arena without end: head {self.head_used}, tail {self.tail_used} bytes>"
        return arena_map(self.size, self.head, self.temp - self.head, self.tail_used)


def arena_map(size: int, head: int, temp: int, tail: int, width: int = _MAP_WIDTH) -> str:
    """The arena's regions, drawn to scale and listed."""
    free = size - head - temp - tail
    regions = [("head", head, "#"), ("temp", temp, "t"), ("free", free, "."), ("tail", tail, "=")]
    bar, start = "", 0
    for _, count, mark in regions:
        start += count
        bar += mark * (round(start * width / size if size else 0) - len(bar))
    sizes = "  ".join(
        f"{mark} {name} {count}" for name, count, mark in regions if count or name != "temp"
    )
    return f"arena of {size} bytes\n[{bar:{width}s}]\n{sizes}"


def as_bytes(memory: Memory | int) -> Bytes:
    """A writable buffer's bytes, or so many zeros that are aligned."""
    if isinstance(memory, int | np.integer):
        return _aligned_zeros(int(memory))
    try:
        flat = np.frombuffer(memory, np.uint8)
    except TypeError:
        kind = type(memory).__name__
        raise TypeError(f"expected a writable buffer or a size in bytes, got {kind}") from None
    if not flat.flags.writeable:
        raise ValueError("expected a writable buffer for the arena, got a read-only one")
    return flat


def _aligned_zeros(size: int) -> Bytes:
    if size < 0:
        raise ValueError(f"expected an arena size of 0 or more bytes, got {size}")
    block = _zeros(size + 63)
    start = -block.__array_interface__["data"][0] % 64
    return block[start : start + size]


def _zeros(size: int) -> Bytes:
    try:
        return np.zeros(size, np.uint8)
    except (MemoryError, ValueError, OverflowError) as error:
        raise ArenaError(f"this machine has no {size} bytes of memory", requested=size) from error
