"""Memory that starts at a multiple of 32, and frees itself.

Facts: MNN 3.6.1 ``core/AutoStorage.h``, ``core/MNNMemoryUtils.h``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: ``MNN_MEMORY_ALIGN_DEFAULT``
ALIGNMENT = 32

Bytes = npt.NDArray[np.uint8]


def aligned(size: int, align: int = ALIGNMENT) -> Bytes:
    """``size`` zeroed bytes that start at a multiple of ``align``, a power of two.

    Raises:
        MemoryError: This machine has not got them.
        ValueError: The alignment is no power of two.
    """
    if align < 1 or align & (align - 1):
        raise ValueError(f"align: expected a power of two, got {align}")
    block = np.zeros(size + align, np.uint8)
    start = -block.ctypes.data % align
    return block[start : start + size]


class AutoStorage:
    """MNN's ``AutoStorage<uint8_t>``: bytes that are replaced and released as a whole.

    Whoever got the bytes with :meth:`get` keeps them; they are gone when nobody has them.

    Args:
        size: Number of bytes; none without it.
        align: What the first byte's address is a multiple of.

    Raises:
        ValueError: The alignment is no power of two.
    """

    def __init__(self, size: int | None = None, align: int = ALIGNMENT) -> None:
        self._data = None if size is None else aligned(size, align)

    def reset(self, size: int, align: int = ALIGNMENT) -> None:
        """New zeroed bytes instead of what was there."""
        self._data = None
        self._data = aligned(size, align)

    def release(self) -> None:
        """Let the bytes go."""
        self._data = None

    def clear(self) -> None:
        """All bytes to zero."""
        if self._data is not None:
            self._data[...] = 0

    def get(self) -> Bytes | None:
        """The bytes, or None if there are none."""
        return self._data

    def size(self) -> int:
        """Number of bytes."""
        return 0 if self._data is None else len(self._data)

    def __repr__(self) -> str:
        return f"<AutoStorage of {self.size()} bytes>"
