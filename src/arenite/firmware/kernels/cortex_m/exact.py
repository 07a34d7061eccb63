"""Requantisation as TFLM's formula says it: for scales and sums that no two instructions take.

    lsl    t, sum, #(left + 1)      @ or asr, where the sum is 256 times as large
    smmulr t, t, M                  @ what SQRDMULH gives: (2 * sum * 2^left * M + 2^31) >> 32
    lsl    t, t, #1                 @ room for what follows, where nothing is shifted to the right
    add    t, t, t, asr #31         @ halves go away from zero
    add    t, t, H                  @ half of a step, and the zero point in such steps
    asr    t, t, #(right + 1)
    ssat   t, #8, t

Facts: TFLM ``kernels/internal/common.h`` (MultiplyByQuantizedMultiplier).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from arenite.firmware.kernels.cortex_m.steps import Channels, steps_of
from arenite.firmware.network.kernel import UnsupportedError


class Exact:
    """Requantisation of all channels of a layer, whatever its scales.

    It has the attributes of :class:`Requantization` that layers read.
    """

    k, signed = 0, False
    form: Literal["exact"] = "exact"

    def __init__(self, channels: Channels) -> None:
        self._channels = channels
        steps = steps_of(channels)
        self.constant, self._first = steps.constant, steps.first

    def stored_alone(self, channel: int) -> tuple[int, list[int]]:
        """The same of a sum that no kernel scales."""
        return self.stored(channel, 1)

    def stored(self, channel: int, scale: int) -> tuple[int, list[int]]:
        """The addend of a sum that is scaled by 1 or 256, and the words of its constants."""
        if self.constant[channel]:
            return 0, [0, 0, int(self._first[channel]), 0]
        c = self._channels
        left, right = max(int(c.shift[channel]), 0), max(-int(c.shift[channel]), 0)
        half = (1 << right) + (c.zero_point << right + 1)
        reach = max(-int(c.least[channel]), int(c.most[channel]))
        if max(reach * scale, (2 * reach << left) + abs(half)) >= 1 << 31:
            raise UnsupportedError(f"sums of channel {channel} reach {reach}, shifted by {-right}")
        shift = left + 1 if scale == 1 else scale.bit_length() - 2 - left
        if shift < 0:
            raise UnsupportedError(f"the ratio of scales of channel {channel} is too large")
        return 0, [shift, int(c.multiplier[channel]), half, right + 1]


def emit(sum_: str, constants: Sequence[str], *, scaled: bool) -> tuple[str, ...]:
    """Instructions from a sum to an output that is not clamped yet."""
    shift, multiplier, half, right = constants
    return (
        f"{'asr' if scaled else 'lsl'} {sum_}, {sum_}, {shift}",
        f"smmulr {sum_}, {sum_}, {multiplier}",
        f"lsl {sum_}, {sum_}, #1",
        f"add {sum_}, {sum_}, {sum_}, asr #31",
        f"add {sum_}, {sum_}, {half}",
        f"asr {sum_}, {sum_}, {right}",
    )
