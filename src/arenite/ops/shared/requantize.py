"""The last step of a kernel: from accumulators to output values.

:meth:`OutputStage.reference` is the definition for integers. :class:`Requantizer`
computes the same numbers in few passes over float64 arrays, and proves for every
channel that it may.

Why it may. Without wrapping, ``multiply_by_quantized_multiplier(a, m, -e)`` for ``e >= 1``
is ``floor((a * m + 2**30 + 2**(30 + e) - 2**31 * (a < 0)) / 2**(31 + e))``: the first
rounding adds ``2**30``, the second half of its own divisor, less one where the number
is negative. For ``e = 0`` it is ``floor((a * m + 2**30) / 2**31)``; for a shift to the
left ``m`` is shifted instead of ``a``. Everything in there is a multiple of the divisor's
reciprocal, so float64 holds it exactly while the whole stays under ``2**53`` of these
units. The term with ``a < 0`` matters for negative results only: not where the
activation cuts at the zero point or above. With one rounding the whole is
``floor((a * m + 2**(30 + e)) / 2**(31 + e))``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from arenite.numeric import fixedpoint as fp
from arenite.numeric.fixedpoint import Int64Array
from arenite.ops.context import Array

#: Writes outputs from accumulators of the same number of elements, channels last.
Finish = Callable[[Array, Array], None]

#: Constants are repeated up to about this many elements: NumPy's inner loops run longer.
_TILE = 1024


@dataclass(frozen=True, eq=False)
class OutputStage:
    """``clamp(zero_point + (a + bias) * multiplier * 2**(shift - 31))``, channels last.

    Attributes:
        multiplier: int32, one per channel.
        shift: int32, one per channel.
        bias: int64, one per channel.
        zero_point: Of the output.
        low: Smallest output, from the activation.
        high: Largest output, from the activation.
        wide: Accumulators have 64 bits and multipliers 16, as for int16 activations;
            otherwise 32 and 32.
    """

    multiplier: Array
    shift: Array
    bias: Int64Array
    zero_point: int
    low: int
    high: int
    wide: bool = False

    def reference(self, acc: Array, channels: Any = slice(None)) -> Int64Array:
        """Outputs of ``acc[..., channels]``, which holds integers of any element type."""
        multiplier, shift = self.multiplier[channels], self.shift[channels]
        total = acc[..., channels].astype(np.int64) + self.bias[channels]
        if self.wide:
            scaled = fp.multiply_by_quantized_multiplier_int64(total, multiplier, shift)
        else:
            scaled = fp.multiply_by_quantized_multiplier(fp.wrap_int32(total), multiplier, shift)
        return np.clip(fp.wrap_int32(scaled + self.zero_point), self.low, self.high)


class _Exact(NamedTuple):
    """An output stage in real numbers, per channel.

    With ``t = a * scale + bias`` the output is ``floor(t + offset - 2 * half * (t < 0))``,
    computed exactly in float64 where ``proven``.
    """

    scale: Array
    bias: Array
    offset: Array
    half: Array
    proven: Array


def _exact(stage: OutputStage, bound: Array, zero_point: int) -> _Exact:
    multiplier, shift = stage.multiplier.astype(np.float64), fp.bare_shift(stage.shift)
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    total = bound + np.abs(stage.bias.astype(np.float64))
    if stage.wide:
        divisor = _pot(15 - shift)
        factor = np.where(multiplier < 0x7FFF0000, (multiplier + 2**15) // 2**16, 0x7FFF)
        rounding, negative = divisor / 2, np.zeros(len(shift))
        possible = (shift < 15) & (total < 2**47)
    else:
        divisor = _pot(31 + right)
        factor = multiplier * _pot(left)
        rounding = 2**30 + np.where(right > 0, divisor / 2, 0)
        negative = np.where(right > 0, 2.0**31, 0)
        if fp.rounds_once(stage.shift):
            rounding, negative = divisor / 2, np.zeros(len(shift))
        possible = total * _pot(left) < 2**31
    # Nothing wraps, neither the sum nor the result.
    possible &= (multiplier >= 0) & (total * factor < divisor * 2**30)
    constant, value = _constant(stage, bound)
    constant &= possible
    whole = total * factor + rounding + negative + abs(zero_point) * divisor
    scale = np.where(constant, 0, factor / divisor)
    return _Exact(
        scale=scale,
        bias=stage.bias * scale,
        offset=np.where(constant, value - stage.zero_point, rounding / divisor) + zero_point,
        half=np.where(constant, 0, negative / divisor / 2),
        proven=constant | (possible & (whole < 2**53)),
    )


def _constant(stage: OutputStage, bound: Array) -> tuple[Array, Int64Array]:
    """Channels whose output does not depend on the accumulator, and that output.

    Outputs rise with the accumulator, so it is enough to look at its ends. Converters
    leave such channels behind: a tiny scale, and a bias of up to ``2**30``.
    """
    bound = np.minimum(bound, 2.0**62)
    least, most = stage.reference(-bound), stage.reference(bound)
    return least == most, least


def _pot(exponent: Array) -> Array:
    return np.ldexp(np.ones(exponent.shape), exponent)


class Requantizer:
    """An :class:`OutputStage` for arrays of one size, with its constants and memory.

    Args:
        stage: What to compute.
        bound: Largest magnitude of an accumulator before its bias, per channel.
        rows: Accumulators per channel.
        dtype: Of the output: int8 or int16.
    """

    def __init__(self, stage: OutputStage, bound: Array, rows: int, dtype: np.dtype[Any]) -> None:
        channels = len(bound)
        self._stage = stage
        # Outputs are shifted to unsigned numbers, for which C's cast is a floor.
        self._flip = 1 << (8 * dtype.itemsize - 1)
        self._unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
        self._low, self._high = stage.low + self._flip, stage.high + self._flip
        exact = _exact(stage, bound, stage.zero_point + self._flip)
        legal = 0 <= self._low <= self._high < 2 * self._flip
        self._others = np.flatnonzero(~exact.proven) if legal else np.arange(channels)
        self._exact = exact if len(self._others) < channels else None
        if self._exact is None:
            return
        repeat = tile(rows, channels)
        self._real = np.empty((rows // repeat, repeat * channels))
        self._scale = np.tile(exact.scale, repeat)
        self._signed = stage.low < stage.zero_point and bool(exact.half.any())
        if self._signed:
            self._bias = np.tile(exact.bias, repeat)
            self._half = np.tile(exact.half, repeat)
            self._offset = np.tile(exact.offset - exact.half, repeat)
            self._sign = np.empty_like(self._real)
        else:
            self._offset = np.tile(exact.offset + exact.bias, repeat)

    def __call__(self, acc: Array, out: Array) -> None:
        """Write the outputs of ``acc`` (exact integers of any type) to ``out``."""
        if self._exact is None:
            out[...] = self._stage.reference(acc.reshape(out.shape))
            return
        real = self._real
        np.multiply(acc.reshape(real.shape), self._scale, out=real)
        if self._signed:
            real += self._bias
            real += np.copysign(self._half, real, out=self._sign)
        real += self._offset
        real.clip(self._low, self._high, out=real)
        unsigned = out.view(self._unsigned)
        np.copyto(unsigned, real.reshape(out.shape), casting="unsafe")
        unsigned ^= self._flip
        if len(self._others):
            rest = self._stage.reference(acc.reshape(out.shape), self._others)
            out[..., self._others] = rest


@dataclass(frozen=True, eq=False)
class FloatStage:
    """``clamp(a + bias)`` in float64, rounded to float32 at the end."""

    bias: Array
    low: float
    high: float

    def __call__(self, acc: Array, out: Array) -> None:
        """Write the outputs of ``acc`` (float64, overwritten) to ``out``."""
        total = acc.reshape(out.shape)
        total += self.bias
        total.clip(self.low, self.high, out=total)
        np.copyto(out, total, casting="same_kind")


def tile(rows: int, channels: int) -> int:
    """The number of rows to treat as one: a divisor of ``rows`` that makes useful vectors."""
    most = max(1, min(rows, _TILE // channels))
    return next(count for count in range(most, 0, -1) if rows % count == 0)
