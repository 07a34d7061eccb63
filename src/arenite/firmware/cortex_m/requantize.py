"""Requantisation in two instructions, proven for every channel.

    smmla t, A, M, C         @ t = C + (A * M >> 32)
    ssat  t, #8, t, asr #k   @ shift, clamp; the zero point is in C

``A = scale * sum + b`` is what the sums of a kernel are anyway. For the step to output ``t`` at the
sum ``T``, ``D = C * 2**32 + b * M`` must lie in

    t * 2**(32+k) - M*scale*T  <=  D  <  t * 2**(32+k) - M*scale*(T-1)

and the intervals of all steps must have a number in common that some ``b`` and a whole ``C`` give.
TFLM rounds halves away from zero, so where outputs of negative sums are seen, these need one step
of ``q = 2**(k + shift)`` less (shift is negative): ``and u, q, A, asr #31; sub t, t, u``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arenite.firmware.cortex_m.steps import VALUES, Channels, Int64s, Steps, steps_of
from arenite.firmware.work import UnsupportedError

_BIASES = np.arange(1 << 16)
#: How far a multiplier may be from the nearest one.
_MULTIPLIERS = sorted(range(-60, 61), key=abs)
#: Shifts of sums scaled by 256.
_SHIFTS = (20, 16, 12, 10, 9)


class Constants(NamedTuple):
    """One channel: ``A = scale * sum + bias``; without ``step`` there is no difference by sign."""

    bias: int
    multiplier: int
    addend: int
    step: int = 0


class Requantization:
    """How all channels of a layer are requantised.

    Attributes:
        k: The shift where sums are scaled by 256; less by 8 where they are as they are.
        signed: Whether negative sums need their step.
        constant: Channels whose output never changes.

    Raises:
        UnsupportedError: There is no such form for some channel.
    """

    def __init__(self, channels: Channels) -> None:
        self._channels = channels
        self._steps: Steps = steps_of(channels)
        self.constant = self._steps.constant
        self._scale = channels.multiplier * 2.0 ** (channels.shift - 31)
        largest = float(self._scale[~self.constant].max(initial=0.0))
        self.k = _shift_for(largest)
        self.signed = not self._rises()

    def _rises(self) -> bool:
        """Whether the form without a sign takes the first channel that changes."""
        varying = np.flatnonzero(~self.constant)
        zero = self._channels.outputs(np.zeros((len(self.constant), 1), np.int64))[:, 0]
        seen = (self._steps.first < zero) & (self._channels.least < 0)
        return not bool(seen[varying].any())

    def shift(self, scale: int) -> int:
        """The shift of sums scaled by a power of two up to 256."""
        return self.k - 9 + scale.bit_length()

    def constants(self, channel: int, scale: int, *, whole: bool = False) -> Constants:
        """The constants for sums scaled by ``scale``: 1, 64 or 256.

        With ``whole`` the bias is a multiple of the scale: it is added before scaling.

        Raises:
            UnsupportedError: No multiplier near the exact one meets all steps, or sums leave 32
                bits.
        """
        k = self.shift(scale)
        first = int(self._steps.first[channel])
        if self.constant[channel]:
            return Constants(0, 0, (first << k) + (1 << k >> 1))
        reach = max(-int(self._channels.least[channel]), int(self._channels.most[channel]))
        if reach * scale + (1 << 16) >= 1 << 31:
            raise UnsupportedError(f"sums of channel {channel} reach {reach}")
        step = self._step(channel, k)
        nearest = round(float(self._scale[channel]) * 2.0 ** (32 + k) / scale)
        for near in _MULTIPLIERS:
            multiplier = nearest + near
            if not 0 < multiplier < 1 << 31:
                continue
            found = self._fit(channel, scale, k, multiplier, step, whole=whole)
            if found is not None:
                return found
        raise UnsupportedError(f"no multiplier meets all steps of channel {channel}")

    def _step(self, channel: int, k: int) -> int:
        """What negative sums are lowered by."""
        right = -int(self._channels.shift[channel])
        if not self.signed:
            return 0
        if not 1 <= right <= k:
            raise UnsupportedError(f"channel {channel} is shifted by {right}, of 1 to {k}")
        return 1 << (k - right)

    def _fit(
        self, channel: int, scale: int, k: int, multiplier: int, step: int, *, whole: bool
    ) -> Constants | None:
        if whole:
            return self._whole(channel, scale, k, multiplier, step)
        low, high = self._interval(channel, scale, k, multiplier, step=step)
        if low >= high:
            return None
        # A bias under the scale leaves the sign of what it is added to.
        biases = _BIASES[:scale] if step else _BIASES
        off = (biases * multiplier - low) & 0xFFFFFFFF
        fitting = np.flatnonzero(off < min(high - low, 1 << 32))
        if not len(fitting):
            return None
        bias = int(biases[fitting[0]])
        return _whole_addend(bias, multiplier, low - bias * multiplier, step)

    def _whole(
        self, channel: int, scale: int, k: int, multiplier: int, step: int
    ) -> Constants | None:
        """A bias in units of sums, which moves the point where they change their sign."""
        for bias in sorted(range(-60, 61), key=abs):
            low, high = self._interval(channel, scale, k, multiplier, step=step, bias=bias)
            if low < high and -(-low >> 32) << 32 < high:
                return _whole_addend(bias, multiplier, low, step)
        return None

    def _interval(
        self, channel: int, scale: int, k: int, multiplier: int, *, step: int, bias: int = 0
    ) -> tuple[int, int]:
        """Where ``D`` must lie, less what the bias gives: from, and before."""
        valid = self._steps.valid[channel]
        at: Int64s = self._steps.at[channel][valid] + bias
        target = VALUES[valid].astype(np.int64) << (32 + k)
        unit, lowered = multiplier * scale, step << 32
        low = target - unit * at + np.where(at < 0, lowered, 0)
        high = target - unit * (at - 1) + np.where(at - 1 < 0, lowered, 0)
        return int(low.max()), int(high.min())


def _whole_addend(bias: int, multiplier: int, low: int, step: int) -> Constants | None:
    addend = -(-low >> 32)
    return Constants(bias, multiplier, addend, step) if abs(addend) < 1 << 31 else None


def _shift_for(largest: float) -> int:
    """The largest k of a few for which all multipliers have 31 bits: layers of one k share code.

    Raises:
        UnsupportedError: Scales are so large that there is none.
    """
    for k in _SHIFTS:
        if round(largest * 2.0 ** (24 + k)) < (1 << 31) - 64:
            return k
    raise UnsupportedError(f"the ratio of scales, {largest:g}, is too large")
