"""Places for many buffers, computed in C as ``arenite.memory.greedy`` defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native import _engine

ffi, lib = _engine.ffi, _engine.lib
Longs = npt.NDArray[np.int64]

_LONGS, _INTS = ("size", "offset"), ("begin", "end", "rank", "before", "together", "unused")
_BUFFER = np.dtype([(name, "i8") for name in _LONGS] + [(name, "i4") for name in _INTS])


def greedy_offsets(
    sizes: Longs, offline: Longs, begin: Longs, end: Longs, *, order: Sequence[int], alignment: int
) -> list[int]:
    """An offset for every buffer.

    Args:
        sizes: Bytes, multiples of the alignment.
        offline: Offsets that are fixed, -1 elsewhere.
        begin: First moments of lifetimes, within int32.
        end: First moments behind them, later ones.
        order: The buffers' numbers, in the order in which they get their places.
        alignment: Of all offsets that are not fixed.
    """
    count = len(sizes)
    by_begin = np.argsort(begin, kind="stable")
    buffers: npt.NDArray[Any] = np.zeros(count, _BUFFER)
    buffers["size"], buffers["offset"] = sizes, offline
    buffers["begin"], buffers["end"] = begin, end
    buffers["rank"][by_begin] = np.arange(count)
    buffers["before"] = np.searchsorted(begin[by_begin], end)
    buffers["together"] = buffers["before"] - np.searchsorted(np.sort(end), begin, "right")
    numbers = [np.asarray(values, np.int32) for values in (order, by_begin)]
    memory = np.empty(lib.ar_greedy_bytes(count), np.uint8)
    lib.ar_greedy(
        ffi.from_buffer("ar_buffer[]", buffers),
        *(ffi.from_buffer("int32_t[]", values) for values in numbers),
        count,
        alignment,
        ffi.from_buffer(memory),
    )
    offsets: list[int] = buffers["offset"].tolist()
    return offsets
