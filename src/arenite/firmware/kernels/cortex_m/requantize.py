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

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from arenite.firmware.kernels.cortex_m import exact
from arenite.firmware.kernels.cortex_m.steps import VALUES, Channels, Int64s, Steps, steps_of
from arenite.firmware.network.kernel import UnsupportedError

_BIASES = np.arange(1 << 16)
#: How far a multiplier may be from the nearest one.
_MULTIPLIERS = sorted(range(-60, 61), key=abs)
#: The largest shift of sums scaled by 256.
_MOST = 20
#: How many biases are looked at with one multiplier.
_TRIALS = 20


class Constants(NamedTuple):
    """One channel: ``A = scale * sum + bias``; without ``step`` there is no difference by sign."""

    bias: int
    multiplier: int
    addend: int
    step: int = 0


#: Two instructions; those and a step where sums are negative; TFLM's formula.
Form = Literal["rising", "signed", "exact"]
_WORDS = {"rising": 2, "signed": 3, "exact": 4}


class Finish(NamedTuple):
    """The requantisation of a layer's sums.

    Attributes:
        k: The shift of sums that are scaled by 256.
        form: How they are requantised.
        low: The least output.
        high: The largest one.
    """

    k: int
    form: Form = "rising"
    low: int = -128
    high: int = 127

    @property
    def signed(self) -> bool:
        """Whether negative sums need their step."""
        return self.form == "signed"

    @property
    def words(self) -> int:
        """Constants of a channel."""
        return _WORDS[self.form]

    def requantize(
        self, sum_: str, constants: Sequence[str], free: str, *, scaled: bool = True
    ) -> Iterator[str]:
        """Instructions from a register with a sum to one that :meth:`clamp` takes.

        ``constants`` are registers with the channel's, ``free`` is another one. Sums that are not
        ``scaled`` were not multiplied by 256.
        """
        if self.form == "exact":
            yield from exact.emit(sum_, constants, scaled=scaled)
            return
        if self.signed:
            yield from () if scaled else (f"lsl {sum_}, {sum_}, #8",)
            yield f"and {free}, {constants[2]}, {sum_}, asr #31"
        yield f"smmla {sum_}, {sum_}, {constants[0]}, {constants[1]}"
        if self.signed:
            yield f"sub {sum_}, {sum_}, {free}"

    def clamp(self, sum_: str, *, scaled: bool = True) -> Iterator[str]:
        """Instructions that shift and clamp a register.

        Sums that are not ``scaled`` were not multiplied by 256; where signs matter, all are.
        """
        right = self.k if scaled or self.form != "rising" else self.k - 8
        yield f"ssat {sum_}, #8, {sum_}{f', asr #{right}' if right else ''}"
        yield from self.limit(sum_)

    def limit(self, sum_: str) -> Iterator[str]:
        """Instructions that clamp a register with an int8 to less than that."""
        if self.low > -128:
            yield from (f"cmp {sum_}, #{self.low}", "it lt", f"movlt {sum_}, #{self.low}")
        if self.high < 127:
            yield from (f"cmp {sum_}, #{self.high}", "it gt", f"movgt {sum_}, #{self.high}")


class Requantization:
    """Requantisation of all channels of a layer.

    Attributes:
        k: The shift where sums are scaled by 256; less by 8 where they are as they are.
        signed: Whether negative sums need their step.
        constant: Channels whose output never changes.
    """

    def __init__(self, channels: Channels, steps: Steps | None = None, k: int = 0) -> None:
        self._channels = channels
        self._steps: Steps = steps_of(channels) if steps is None else steps
        self.constant = self._steps.constant
        self._scale = channels.multiplier * 2.0 ** (channels.shift - 31)
        largest = float(self._scale[~self.constant].max(initial=0.0))
        #: The shifts that may do, the one to try first first.
        self.shifts = _shifts_for(largest)
        self.k = k or self.shifts[0]
        self.signed = not self._rises()
        self.form: Form = "signed" if self.signed else "rising"

    def with_shift(self, k: int) -> Requantization:
        """The same with another of the shifts."""
        return Requantization(self._channels, self._steps, k)

    def _rises(self) -> bool:
        """Whether the form without a sign takes the first channel that changes."""
        varying = np.flatnonzero(~self.constant)
        zero = self._channels.outputs(np.zeros((len(self.constant), 1), np.int64))[:, 0]
        seen = (self._steps.first < zero) & (self._channels.least < 0)
        return not bool(seen[varying].any())

    def shift(self, scale: int) -> int:
        """The shift of sums scaled so: multipliers have 31 bits as they have for 256."""
        return self.k - 9 + scale.bit_length()

    def stored(self, channel: int, scale: int, *, whole: bool = False) -> tuple[int, list[int]]:
        """The addend of a sum, and the words of its constants; see :meth:`constants`."""
        one = self.constants(channel, scale, whole=whole)
        return one.bias, [one.multiplier, one.addend, one.step][: _WORDS[self.form]]

    def stored_alone(self, channel: int) -> tuple[int, list[int]]:
        """The same of a sum that no kernel scales: where signs matter, it is, behind the bias."""
        return self.stored(channel, 256 if self.signed else 1, whole=self.signed)

    def constants(self, channel: int, scale: int, *, whole: bool = False) -> Constants:
        """The constants for sums scaled by ``scale``: 1, 64, 256 or 576.

        With ``whole`` the bias is a multiple of the scale: it is added before scaling.
        """
        k = self.shift(scale)
        if k < 1:
            raise UnsupportedError(f"the ratio of scales of channel {channel} is too large")
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
        """The number that negative sums are lowered by."""
        right = -int(self._channels.shift[channel])
        if not self.signed:
            return 0
        if not 1 <= right <= k:
            raise UnsupportedError(f"channel {channel} is shifted by {right}, of 1 to {k}")
        return 1 << (k - right)

    def _fit(
        self, channel: int, scale: int, k: int, multiplier: int, step: int, *, whole: bool
    ) -> Constants | None:
        def at(bias: int) -> tuple[int, int]:
            return self._interval(channel, scale, k, multiplier, step=step, bias=bias)

        low, high = at(0)
        if low >= high:
            return None
        biases = _BIASES * scale if whole else _BIASES
        off = (biases * multiplier - low) & 0xFFFFFFFF
        for bias in biases[off < min(high - low, 1 << 32)][:_TRIALS].tolist():
            # A bias moves the point where sums change their sign.
            low, high = at(bias) if step else (low, high)
            addend = -(-(low - bias * multiplier) >> 32)
            fits = addend << 32 < high - bias * multiplier
            if fits and abs(addend) < 1 << 31:
                return Constants(bias // scale if whole else bias, multiplier, addend, step)
        return None

    def _interval(
        self, channel: int, scale: int, k: int, multiplier: int, *, step: int, bias: int
    ) -> tuple[int, int]:
        """Where ``D`` must lie: from, and before; the bias decides about signs only.

        A step bounds it twice; the least sum bounds it from below, the largest one from above.
        """
        steps, valid = self._steps, self._steps.valid[channel]
        at, values = steps.at[channel][valid], VALUES[valid].astype(np.int64)
        least, most = self._channels.least[channel], self._channels.most[channel]
        first, last = steps.first[channel], steps.last[channel]
        reached, missed = (at, values), (at - 1, values)
        if first > -128:
            reached = np.append(at, least), np.append(values, first)
        if last < 127:
            missed = np.append(at - 1, most), np.append(values, last + 1)

        def bounds(sums: Int64s, targets: Int64s) -> Int64s:
            lowered = np.where(scale * sums + bias < 0, step << 32, 0)
            found: Int64s = (targets << (32 + k)) - multiplier * scale * sums + lowered
            return found

        return int(bounds(*reached).max()), int(bounds(*missed).min())


def _shifts_for(largest: float) -> tuple[int, ...]:
    """Shifts for which all multipliers have 31 bits, of sums scaled by 256.

    The first is one of a few, so that layers share code; the others are as large as can be.
    """
    fits = [k for k in range(_MOST, 0, -1) if round(largest * 2.0 ** (24 + k)) < (1 << 31) - 64]
    if not fits:
        raise UnsupportedError(f"the ratio of scales, {largest:g}, is too large")
    first = next((k for k in fits if k % 4 == 0), fits[0])
    return tuple(dict.fromkeys((first, *fits[:2])))
