"""Many numbers at once, in C: ``csrc/include/parameters.h``, ``csrc/python/array_numbers.c``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import extension, ffi, lib
from arenite.native.tensors import address_of

Int32Array = npt.NDArray[np.int32]

_from_buffer, _table = ffi.from_buffer, lib.ar_difference_table
_INT32S, _INT8S = ffi.typeof("int32_t[]"), ffi.typeof("int8_t[]")


def _know_numbers() -> bool:
    """Let C read arrays of numbers, if they are laid out as it has that."""
    arrays = tuple(np.zeros(1, dtype) for dtype in (np.float32, np.int64, np.int32))
    addresses = tuple(map(address_of, arrays))
    known: bool = extension.know_numbers(arrays, addresses, tuple(a.flags.num for a in arrays))
    return known


if not (lib.ar_add_array_numbers() and _know_numbers()):
    raise ImportError("the native engine has no way to read NumPy's arrays")
_multipliers = extension.multipliers
#: ``all_params_of(quantizations, params_of)``: a list of what
#: :func:`arenite.ops.context.params_of` says of each, which is asked itself for rare arrays.
all_params_of = extension.all_params_of


def quantize_multipliers(
    before: float, scales: npt.NDArray[Any], behind: float, *, rounding: int, channels: int
) -> tuple[Int32Array, Int32Array] | None:
    """Multipliers and shifts of ``before * scales / behind``, one each for every channel.

    ``rounding`` is added to the shifts. One scale counts for all channels.

    Returns:
        None where a ratio is negative, not finite, or has a shift above 30, or where scales are not
        float32 in a row: NumPy can tell.
    """
    found = np.empty((2, channels), np.int32)
    is_plain = _multipliers(before, scales, behind, rounding, found)
    return (found[0], found[1]) if is_plain else None


def difference_table(multiplier: int, left_shift: int, count: int) -> Int32Array:
    """``exp`` of ``-i`` steps for i in ``[0, count)``, and zeros up to 256 entries.

    ``count`` is at most 256, and ``count - 1`` steps shifted to the left fit int32.
    """
    table = np.zeros(256, np.int32)
    _table(multiplier, left_shift, count, _from_buffer(_INT32S, table))
    return table


def activation_table(function: str, *numbers: float) -> npt.NDArray[np.int8] | None:
    """A function of all int8 values, indexed by the byte: ``ar_FUNCTION_table`` of its numbers.

    Returns:
        None where NumPy is to compute it.
    """
    table = np.empty(256, np.int8)
    make = getattr(lib, f"ar_{function}_table")
    return table if make(*numbers, _from_buffer(_INT8S, table)) else None
