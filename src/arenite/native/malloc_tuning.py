"""The C library's ways with large blocks of memory; no engine is needed."""

from __future__ import annotations

import numpy as np

#: Of so many bytes on, memory may come from the system and go back to it.
LARGE = 1 << 16


def keep_freed_memory(size: int) -> None:
    """Let the C library keep a block of so many bytes when it is freed, for the next model.

    glibc gives back what is larger than all that was freed before (``mallopt(3)``), and a page that
    comes anew from the system takes longer than writing to it. Nobody touches this block.
    """
    if size >= LARGE:
        np.empty(4 * size, np.uint8)
