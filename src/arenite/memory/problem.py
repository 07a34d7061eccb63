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


class Separation(NamedTuple):
    """The least distance of two buffers that are alive together.

    Where ``lower`` begins at or below ``upper``, ``upper`` has to begin ``distance`` bytes or more
    behind it, instead of behind all of ``lower``: an output may lie on an input that is read
    before the bytes are written. The other way round the whole of ``upper`` counts, unless a
    separation of its own says less.

    Attributes:
        lower: Number of the buffer that begins first in memory.
        upper: Number of the other one.
        distance: Bytes between the two beginnings, 0 or more.
    """

    lower: int
    upper: int
    distance: int


class Problem(NamedTuple):
    """Buffers that are to share one piece of memory.

    Without ``separations`` buffers that are alive together have no byte in common. A planner may
    ignore them: its plan is legal as well.
    """

    buffers: tuple[Buffer, ...]
    separations: tuple[Separation, ...] = ()


class Solution(NamedTuple):
    """An offset for every buffer of the problem, and the size of the memory, in bytes."""

    offsets: tuple[int, ...]
    size: int


Planner = Callable[[Problem], Solution]
