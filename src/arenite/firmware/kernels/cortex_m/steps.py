"""The function from a channel's sums to its outputs: at most 255 steps.

An int8 output rises with its sum, and only ``T``, where it reaches the next value, matters: two
rising functions are equal for all sums if they are equal at every ``T`` and at ``T - 1``. So what
an assembly kernel computes is proven by looking at a few hundred sums instead of millions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier

Int64s = npt.NDArray[np.int64]
#: The values that an output may step up to.
VALUES = np.arange(-127, 128)


@dataclass(frozen=True, eq=False)
class Channels:
    """Requantisation per channel, and the sums that can be, bias and zero point included.

    ``least`` and ``most`` are the ends of what is reachable; outputs are clamped to int8.
    """

    multiplier: Int64s
    shift: Int64s
    zero_point: int
    least: Int64s
    most: Int64s

    def outputs(self, sums: Int64s) -> Int64s:
        """TFLM's outputs of sums ``(channels, ...)``."""
        shape = (-1,) + (1,) * (sums.ndim - 1)
        scaled = multiply_by_quantized_multiplier(
            sums, self.multiplier.reshape(shape), self.shift.reshape(shape)
        )
        return np.clip(scaled + self.zero_point, -128, 127)


@dataclass(frozen=True, eq=False)
class Steps:
    """Where outputs step.

    ``at[c, i]`` is the least sum of channel c whose output is at least ``VALUES[i]``, where
    ``valid[c, i]``; outputs go from ``first`` to ``last``.
    """

    first: Int64s
    last: Int64s
    at: Int64s
    valid: npt.NDArray[np.bool_]

    @property
    def constant(self) -> npt.NDArray[np.bool_]:
        """Channels whose output never changes."""
        return np.asarray(self.first == self.last)


def steps_of(channels: Channels) -> Steps:
    """All steps of all channels: an estimate in float64, and a search from there."""
    least, most = channels.least[:, None], channels.most[:, None]
    first, last = channels.outputs(least)[:, 0], channels.outputs(most)[:, 0]
    valid = (first[:, None] < VALUES) & (last[:, None] >= VALUES)
    low, high = _bracket(channels, least, most)
    while (wide := (high - low > 1) & valid).any():
        middle = (low + high) // 2
        above = channels.outputs(middle) >= VALUES
        high = np.where(wide & above, middle, high)
        low = np.where(wide & ~above, middle, low)
    return Steps(first, last, high, valid)


def _bracket(channels: Channels, least: Int64s, most: Int64s) -> tuple[Int64s, Int64s]:
    """For every step a sum below it and one at or above it."""
    scale = channels.multiplier * 2.0 ** (channels.shift - 31)
    with np.errstate(divide="ignore", invalid="ignore"):
        about = (VALUES - channels.zero_point - 0.5) / scale[:, None]
    about = np.nan_to_num(np.clip(about, least, most)).astype(np.int64)
    low, high = np.maximum(about - 3, least), np.minimum(about + 3, most)
    holds = (channels.outputs(low) < VALUES) & (channels.outputs(high) >= VALUES)
    shape = holds.shape
    return (
        np.where(holds, low, np.broadcast_to(least, shape)),
        np.where(holds, high, np.broadcast_to(most, shape)),
    )
