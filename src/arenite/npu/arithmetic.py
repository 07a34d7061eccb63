"""The NPU's rounding, as far as agreement with TFLite shows it.

No document says it; Vela's own folding of constants for U85 (regor ``graphir_optimiser.cpp``,
``Scale``) does the same. "Double" is TFLite's doubling high product and its rounding shift: with a
single rounding, 4.5 to 24 % of the elements of six models change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.npu.operations import Rounding
from arenite.numeric.fixedpoint import rounding_divide_by_pot

Int64 = npt.NDArray[np.int64]


def rescaled(x: Int64, multiplier: Any, shift: Any, rounding: Rounding) -> Int64:
    """``x * multiplier / 2**shift``; multipliers and shifts may be one per channel.

    What leaves 64 bits wraps: how wide the hardware's products are is not known.
    """
    multiplier, shift = np.asarray(multiplier, np.int64), np.asarray(shift, np.int64)
    if not multiplier.ndim and multiplier == 1 and shift == 0:
        return x
    if rounding in ("double", "asymmetric"):
        product = (x << np.maximum(31 - shift, 0)) * multiplier
        high, rest = (product + (1 << 30)) >> 31, np.maximum(shift - 31, 0)
        if rounding == "asymmetric":
            return _divided(high, rest, "natural")
        return rounding_divide_by_pot(high, rest)
    return _divided(x * multiplier, shift, rounding)


def shifted(x: Int64, shift: int, rounding: Rounding) -> Int64:
    """``x / 2**shift``."""
    if shift == 0:
        return x
    if rounding == "double":
        nudged = x + np.where(x >= 0, 1 << (shift - 1), 1 - (1 << (shift - 1)))
        return _divided(nudged, shift, "truncate")
    halves_up: Rounding = "natural" if rounding == "asymmetric" else rounding
    return _divided(x, np.asarray(shift, np.int64), halves_up)


def _divided(x: Int64, shift: Any, rounding: Rounding) -> Int64:
    """Halves up, away from zero, or all of them down, or towards zero."""
    half = (np.int64(1) << shift) >> 1
    found: Int64
    if rounding == "natural":
        found = (x + half) >> shift
    elif rounding == "symmetric":
        found = np.where(x >= 0, (x + half) >> shift, -((half - x) >> shift))
    elif rounding == "lower":
        found = x >> shift
    else:
        found = np.where(x >= 0, x >> shift, -(-x >> shift))
    return found


def averaged(total: Int64, count: Int64) -> Int64:
    """``total / count`` with halves away from zero, by a reciprocal of 32 bits as Vela makes it.

    Guessed: that the hardware's own table, for windows with padding, is that of Vela's
    ``quantise_pooling_scale`` (``scaling.py``).
    """
    bits = np.frompyfunc(lambda n: max(int(n) - 1, 0).bit_length(), 1, 1)(count).astype(np.int64)
    shift = 31 + bits
    reciprocal = ((np.int64(1) << shift) + (np.int64(1) << bits)) // count
    mean: Int64 = (total * reciprocal + (np.int64(1) << (shift - 1))) >> shift
    return mean
