"""Two arenas: one for what lives as long as the interpreter, one for all else.

TFLM's ``MicroAllocator::Create`` with four arguments, over ``PersistentArenaBufferAllocator`` and
``NonPersistentArenaBufferAllocator`` (``persistent_arena_buffer_allocator.cc``,
``non_persistent_arena_buffer_allocator.cc``). Offsets are those of one arena in which the
persistent memory follows the other; neither reaches into the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import ArenaError
from arenite.memory.abi import Blocks, align_down, align_up
from arenite.memory.arena import (
    ARENA_ALIGNMENT,
    Bytes,
    Memory,
    SingleArenaBufferAllocator,
    as_bytes,
)


class TwoArenas(SingleArenaBufferAllocator):
    """The pointers of two arenas, and their memory: the tail in one, the head in the other.

    Args:
        persistent: A writable buffer, or a size in bytes. Its first byte counts as aligned.
        non_persistent: The same, for tensors, scratch and temporary memory.
    """

    def __init__(self, persistent: Memory | int, non_persistent: Memory | int) -> None:
        super().__init__(None)
        self._persistent, self._non_persistent = as_bytes(persistent), as_bytes(non_persistent)
        self._end = len(self._non_persistent)
        #: Where persistent memory begins.
        self.boundary = align_up(self._end, ARENA_ALIGNMENT)
        self.buffer_tail = self.tail = self.boundary + len(self._persistent)

    def allocate_persistent_buffer(self, size: int, alignment: int = ARENA_ALIGNMENT) -> int:
        """As for one arena, as far as persistent memory goes."""
        if size >= 0 and (self.tail - size) & -alignment < self.boundary:
            raise _too_small("persistent", len(self._persistent), size, self.tail - self.boundary)
        return super().allocate_persistent_buffer(size, alignment)

    def allocate_temp(self, size: int, alignment: int = ARENA_ALIGNMENT) -> int:
        """As for one arena, as far as the other memory goes."""
        self._check(align_up(self.temp, alignment), size)
        return super().allocate_temp(size, alignment)

    def touch_temp(self, blocks: Blocks) -> None:
        """As for one arena, as far as the other memory goes."""
        self._check(align_up(self.temp, blocks.alignment), blocks.size)
        super().touch_temp(blocks)

    def resize_buffer(self, offset: int, size: int, alignment: int = ARENA_ALIGNMENT) -> None:
        """As for one arena, as far as the other memory goes."""
        self._check(align_up(self.buffer_head, alignment), size)
        super().resize_buffer(offset, size, alignment)

    def view(self, offset: int, size: int) -> Bytes:
        """``size`` bytes at ``offset``."""
        memory, offset = self._at(offset)
        return memory[offset : offset + size]

    def array(self, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """An array at ``offset``."""
        memory, offset = self._at(offset)
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, memory, offset)
        return array

    def zeroed_view(self, offset: int, size: int) -> Bytes:
        """The same as :meth:`view`, filled with zeros."""
        view = self.view(offset, size)
        view[...] = 0
        return view

    def available_memory(self, alignment: int = ARENA_ALIGNMENT) -> int:
        """Bytes behind temp in whole aligned blocks."""
        return max(align_down(self._end, alignment) - align_up(self.temp, alignment), 0)

    @property
    def is_endless(self) -> bool:
        """False: both have memory."""
        return False

    @property
    def sizes(self) -> tuple[int, int]:
        """Bytes of the persistent arena and of the other one."""
        return len(self._persistent), self._end

    def _at(self, offset: int) -> tuple[Bytes, int]:
        if offset < self.boundary:
            return self._non_persistent, offset
        return self._persistent, offset - self.boundary

    def _check(self, start: int, size: int) -> None:
        if start + size > self._end:
            raise _too_small("non-persistent", self._end, size, self._end - start)

    def __repr__(self) -> str:
        return (
            f"<two arenas: persistent {self.tail_used} of {len(self._persistent)} bytes, "
            f"non-persistent {self.head_used} of {self._end} bytes>"
        )


def _too_small(which: str, total: int, size: int, free: int) -> ArenaError:
    return ArenaError(
        f"the {which} arena of {total} bytes is too small: {size} bytes were requested, "
        f"{max(free, 0)} are available; `arenite memory MODEL --splits` says how large the two "
        "have to be",
        requested=size,
        available=max(free, 0),
    )
