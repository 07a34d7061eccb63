"""Blocks of code that an emulated core runs, counted in C: ``csrc/engine/blocks.c``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import ffi, lib

if not hasattr(lib, "ar_count_block"):
    raise ImportError("the native engine is older than its sources, and counts no blocks")


@ffi.def_extern()  # type: ignore[untyped-decorator]
def ar_beat(user: Any) -> None:
    """Call the function that a counter was given; it raises nothing."""
    ffi.from_handle(user)()


class CountedInC:
    """As :class:`arenite.emulator.blocks.Counted`, which it is a faster one of.

    Attributes:
        hook: The address of the function that an emulator calls.
        user: The address of its last argument.
    """

    def __init__(self, most: int, beat: Callable[[], None]) -> None:
        self._blocks = ffi.new("ar_code_block[]", most)
        self._slots = ffi.new("int32_t[]", 2 * most)
        self._beat = ffi.new_handle(beat)
        self._state = ffi.new(
            "ar_code_counts *",
            {
                "blocks": self._blocks,
                "slots": self._slots,
                "most": most,
                "beat": lib.ar_beat,
                "user": self._beat,
            },
        )
        self.hook = int(ffi.cast("uintptr_t", ffi.addressof(lib, "ar_count_block")))
        self.user = int(ffi.cast("uintptr_t", self._state))

    def begin(self, left: int) -> None:
        """Count no leap to the next block, and beat behind so many bytes of code."""
        self._state.before, self._state.left = 0, left

    def again(self, left: int) -> None:
        """Beat once more behind so many bytes."""
        self._state.left = left

    def count(self, *, counts: bool) -> None:
        """Count blocks from now on, or do not."""
        self._state.counts, self._state.before = counts, 0

    @property
    def is_full(self) -> bool:
        """Whether there were more blocks than have room."""
        return bool(self._state.count > self._state.most)

    def rows(self) -> npt.NDArray[np.int64]:
        """Address, bytes, runs and leaps of each block."""
        count = min(self._state.count, self._state.most)
        data = ffi.buffer(self._blocks, count * ffi.sizeof("ar_code_block"))
        found: npt.NDArray[np.int64] = np.frombuffer(data, np.int64).reshape(-1, 4).copy()
        return found
