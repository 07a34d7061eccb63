"""Places for many buffers, computed in C as ``arenite.memory.greedy`` defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import ffi, lib

Longs = npt.NDArray[np.int64]

_BUFFER = np.dtype([("size", "i8"), ("offset", "i8"), ("begin", "i4"), ("end", "i4")])


def greedy_offsets(
    sizes: Longs, offline: Longs, begin: Longs, end: Longs, *, order: Sequence[int], alignment: int
) -> list[int]:
    """An offset for every buffer.

    Args:
        sizes: Bytes, multiples of the alignment.
        offline: Offsets that are fixed, -1 elsewhere.
        begin: First moments of lifetimes.
        end: First moments behind them, later ones.
        order: The buffers' numbers, in the order in which they get their places: those with
            fixed offsets, then by descending size.
        alignment: Of all offsets that are not fixed.
    """
    count = len(sizes)
    moments = int(end.max()) - int(begin.min()) + 1
    if moments <= 2 * count:
        begin, end = begin - begin.min(), end - begin.min()
    else:
        found, numbers = np.unique(np.concatenate((begin, end)), return_inverse=True)
        moments, begin, end = len(found), numbers[:count], numbers[count:]
    buffers: npt.NDArray[Any] = np.empty(count, _BUFFER)
    buffers["size"], buffers["offset"] = sizes, offline
    buffers["begin"], buffers["end"] = begin, end
    memory = np.empty(lib.ar_greedy_bytes(count), np.uint8)
    lib.ar_greedy(
        ffi.from_buffer("ar_buffer[]", buffers),
        ffi.from_buffer("int32_t[]", np.asarray(order, np.int32)),
        count,
        moments,
        alignment,
        ffi.from_buffer(memory),
    )
    offsets: list[int] = buffers["offset"].tolist()
    return offsets
