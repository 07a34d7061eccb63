"""Memory planning as plain data: a :class:`Problem` goes in, a :class:`Solution` comes out.

A planner is a function between the two. It knows no graph and no tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Buffer(NamedTuple):
    """A piece of memory that is needed for a while.

    ``begin`` and ``end`` are moments; the lifetime is half-open: the buffer is alive at
    ``begin`` and dead at ``end``. TFLM counts inclusively, so its ``last_used`` is
    ``end - 1``.

    Attributes:
        size: Bytes.
        begin: First moment of the lifetime.
        end: First moment after the lifetime.
        alignment: The offset is a multiple of this, unless ``offline_offset`` fixes it.
        offline_offset: Place that a planner must give to the buffer, or None.
    """

    size: int
    begin: int
    end: int
    alignment: int = 1
    offline_offset: int | None = None


class Problem(NamedTuple):
    """Buffers that are to share one piece of memory."""

    buffers: tuple[Buffer, ...]


class Solution(NamedTuple):
    """An offset for every buffer of the problem, and the size of the memory, in bytes."""

    offsets: tuple[int, ...]
    size: int


Planner = Callable[[Problem], Solution]
