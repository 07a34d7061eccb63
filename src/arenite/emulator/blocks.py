"""Blocks of code that an emulated core runs, counted: in C where the engine is there.

Unicorn calls a hook for every block. In Python that is most of the time that an inference takes,
so the engine has one in C; what it counts is what :class:`Counted` does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
#: Blocks of one firmware that are told apart, at most; a power of two.
MOST = 1 << 17


class Counter(Protocol):
    """Counts of blocks, and a clock of code: ``beat`` is called behind so many bytes of it."""

    def begin(self, left: int) -> None:
        """Count no leap to the next block, and beat behind so many bytes of code."""

    def again(self, left: int) -> None:
        """Beat once more behind so many bytes."""

    def count(self, *, counts: bool) -> None:
        """Count blocks from now on, or do not."""

    @property
    def is_full(self) -> bool:
        """Whether there were more than :data:`MOST` blocks."""

    def rows(self) -> Rows:
        """Address, bytes, runs and leaps of each block, in the order in which they first ran.

        Leaps are how often another block than the one behind it was next.
        """


class Counted:
    """A counter in Python."""

    is_full = False

    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat
        self._counts, self._left = False, 0
        self._before: list[int] | None = None
        self._blocks: dict[tuple[int, int], list[int]] = {}

    def begin(self, left: int) -> None:
        """Count no leap to the next block, and beat behind so many bytes of code."""
        self._before, self._left = None, left

    def again(self, left: int) -> None:
        """Beat once more behind so many bytes."""
        self._left = left

    def count(self, *, counts: bool) -> None:
        """Count blocks from now on, or do not."""
        self._counts, self._before = counts, None

    def rows(self) -> Rows:
        """Address, bytes, runs and leaps of each block."""
        return np.array(list(self._blocks.values()), np.int64).reshape(-1, 4)

    def run(self, _core: Any, address: int, size: int, _data: Any) -> None:
        """A block begins: Unicorn's hook."""
        self._left -= size
        if self._counts:
            before = self._before
            if before is not None and before[0] + before[1] != address:
                before[3] += 1
            self._before = self._blocks.setdefault((address, size), [address, size, 0, 0])
            self._before[2] += 1
        if self._left < 0:
            self._beat()


def counter(core: Any, kind: int, beat: Callable[[], None]) -> Counter:
    """A counter of the blocks that a core of Unicorn's runs; ``kind`` is that of their hook."""
    try:
        found = _in_c(core, kind, beat)
    except (ImportError, AttributeError):  # no engine, or a Unicorn that is bound in another way
        found = Counted(beat)
        core.hook_add(kind, found.run)
    return found


def _in_c(core: Any, kind: int, beat: Callable[[], None]) -> Counter:
    from arenite.native.blocks import CountedInC  # noqa: PLC0415 - of the engine

    library = import_module("unicorn.unicorn_py3.unicorn").uclib
    found, hook = CountedInC(MOST, beat), ctypes.c_size_t()
    whole = ctypes.c_uint64(1), ctypes.c_uint64(0)
    where = ctypes.c_void_p(found.hook), ctypes.c_void_p(found.user)
    status = library.uc_hook_add(core._uch, ctypes.byref(hook), kind, *where, *whole)
    if status:
        raise ImportError(f"Unicorn refuses the hook: {status}")
    return found
