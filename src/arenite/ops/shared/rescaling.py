"""Fixed-point multiplication for the many short vectors of recurrent operators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.numeric import fixedpoint as fp
from arenite.numeric.fixedpoint import Int64Array


class Rescaling:
    """A fixed-point multiplication with all but its operand prepared.

    Equals ``fixedpoint.multiply_by_quantized_multiplier`` (``_int64`` if ``wide``) in a
    third of the calls, which is what a sequence of short vectors spends its time on.

    Args:
        multiplier: One for all, or one per element of the operand's last axis.
        shift: Likewise.
        wide: The operand has 64 bits and the multiplier 16, as for int16 activations.
    """

    def __init__(self, multiplier: npt.ArrayLike, shift: npt.ArrayLike, wide: bool = False) -> None:
        multiplier, shift = np.asarray(multiplier, np.int64), np.asarray(shift, np.int64)
        self._wide, self._once = wide, False
        self._lost: Int64Array | None = None
        if wide:
            self._multiplier = np.where(
                multiplier < 0x7FFF0000, (multiplier + (1 << 15)) >> 16, 0x7FFF
            )
            self._right = 15 - fp.bare_shift(shift)
            self._half = np.int64(1) << (self._right - 1)
            lost = fp.bits_lost(shift)
            self._lost = lost if lost.any() else None
            return
        self._multiplier = multiplier
        self._once = fp.rounds_once(shift)
        if self._once:
            self._right = 31 - fp.bare_shift(shift)
            self._half = np.int64(1) << (self._right - 1)
            return
        self._left = np.maximum(shift, 0)
        self._shifts_left = bool(self._left.any())
        self._right = np.maximum(-shift, 0)
        self._half = (np.int64(1) << self._right) >> 1
        self._rounds = (self._right > 0).astype(np.int64)

    def __call__(self, x: Int64Array) -> Int64Array:
        """The scaled values; ``x`` is overwritten."""
        if self._lost is not None:
            scaled = (x * self._multiplier + self._half) >> self._right
            return fp.wrap_int32(scaled << self._lost) >> self._lost
        if self._wide or self._once:
            return fp.wrap_int32((x * self._multiplier + self._half) >> self._right)
        if self._shifts_left:
            x = fp.wrap_int32(x << self._left)
        x *= self._multiplier
        x += 1 << 30
        x >>= 31
        # Halves go away from zero: a negative number gets one less before the shift.
        negative = x >> 63
        negative &= -self._rounds
        x += negative
        x += self._half
        x >>= self._right
        return x
