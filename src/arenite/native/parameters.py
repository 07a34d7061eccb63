"""What ``prepare`` computes of many numbers at once, in C: see ``csrc/include/parameters.h``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import ffi, lib

Int32Array = npt.NDArray[np.int32]

_from_buffer = ffi.from_buffer
_multipliers, _table = lib.ar_quantize_multipliers, lib.ar_difference_table
_INT32S = ffi.typeof("int32_t[]")


def quantize_multipliers(
    before: float, scales: npt.NDArray[Any], behind: float, *, rounding: int, channels: int
) -> tuple[Int32Array, Int32Array] | None:
    """Multipliers and shifts of ``before * scales / behind``, one each for every channel.

    ``rounding`` is added to the shifts. One scale counts for all channels.

    Returns:
        None where a ratio is negative, not finite, or has a shift above 30, or where scales are not
        float32 in a row: NumPy can tell.
    """
    if scales.dtype.char != "f" or not scales.flags.c_contiguous or scales.size > channels:
        return None
    found = np.empty((2, channels), np.int32)
    multiplier, shift = found
    into = _from_buffer(_INT32S, found)
    is_plain = _multipliers(
        before, _from_buffer(scales), scales.size, behind, rounding, channels, into, into + channels
    )
    return (multiplier, shift) if is_plain else None


def difference_table(multiplier: int, left_shift: int, count: int) -> Int32Array:
    """``exp`` of ``-i`` steps for i in ``[0, count)``, and zeros up to 256 entries.

    ``count`` is at most 256, and ``count - 1`` steps shifted to the left fit int32.
    """
    table = np.zeros(256, np.int32)
    _table(multiplier, left_shift, count, _from_buffer(_INT32S, table))
    return table
