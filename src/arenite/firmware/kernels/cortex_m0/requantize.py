"""Requantisation by products of 32 bits, proven for every channel.

An output changes only between the sums ``base`` and ``top``. With what is left of these,

    r   = span - max(sum - base, 0), at least 0
    out = (r * high + (r * low >> bits) + addend) >> 22

``high * 2**bits + low`` is the multiplier ``M``, which is negative, as ``r`` falls with the sum.
All of it has 32 bits: ``r * low`` since ``bits`` are what ``span`` leaves, the others since
``r * high`` goes through 255 steps of ``2**22`` at most. Where ``M`` is too coarse so, ``low`` has
two parts: ``r * low + (r * lowest >> bits) >> bits``.

An output rises with its sum, so only the sums ``T`` where it reaches a next value ``t`` matter, and
those before them (:mod:`arenite.firmware.kernels.cortex_m.steps`). With ``k = 22`` and all bits of
``low``, ``D``, which is ``addend`` times as much, must lie in

    t * 2**k - M*r  <=  D  <  t * 2**k - M*(r+1),    r = top - T

TFLM rounds halves away from zero. Where that is seen, sums below 0, whose ``r`` is above ``top``,
are lowered by ``step = 2**(22 + shift)`` before the last shift (shift is negative).
"""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import NamedTuple

import numpy as np

from arenite.firmware.kernels.cortex_m.steps import VALUES, Channels, Int64s, Steps, steps_of
from arenite.firmware.network.kernel import UnsupportedError

#: The last shift; an output may change between so many sums.
SHIFT, _MOST = 22, 1 << 22
#: How far a multiplier may be from the nearest one.
_MULTIPLIERS = sorted(range(-60, 61), key=abs)


class Channel(NamedTuple):
    """One channel: what is taken from its sum, and its constants in their order in flash."""

    base: int
    span: int
    lows: tuple[int, ...]
    high: int
    addend: int
    top: int
    step: int


class Requantization(NamedTuple):
    """A layer's.

    Attributes:
        bits: Of each part of ``low``.
        parts: Parts that it has, the lowest first.
        signed: Whether negative sums are lowered.
        channels: Every channel.
    """

    bits: int
    parts: int
    signed: bool
    channels: list[Channel]

    def words(self, channel: int) -> list[int]:
        """Constants as they are read."""
        one = self.channels[channel]
        signed = [one.top, one.step] if self.signed else []
        return [one.span, *one.lows, one.high, one.addend, *signed]


class _Window(NamedTuple):
    """Outputs from ``first`` to ``last``; the sums where each behind the first begins."""

    first: int
    last: int
    at: Int64s

    @property
    def span(self) -> int:
        return int(self.at[-1] - self.at[0]) + 1 if self.at.size else 0


def requantized(channels: Channels, low: int, high: int) -> Requantization:
    """Constants of every channel, whose outputs are clamped to ``low`` and ``high``."""
    if max(-int(channels.least.min()), int(channels.most.max())) >= 1 << 30:
        raise UnsupportedError("sums leave 31 bits")
    steps = steps_of(channels)
    windows = [_window(steps, number, low, high) for number in range(len(steps.first))]
    widest = max(window.span for window in windows)
    if widest >= _MOST:
        raise UnsupportedError(f"outputs change between {widest} sums")
    left = 32 - max(widest.bit_length(), 1)
    *usual, last = product(((left, 1), (min(left, 15), 2)), (False, True))
    for (bits, parts), signed in usual:
        with suppress(UnsupportedError):
            return _of_all(channels, windows, bits, parts, signed=signed)
    (bits, parts), signed = last
    return _of_all(channels, windows, bits, parts, signed=signed)


def _window(steps: Steps, channel: int, low: int, high: int) -> _Window:
    first, last = (min(max(int(end[channel]), low), high) for end in (steps.first, steps.last))
    inside = steps.valid[channel] & (first < VALUES) & (last >= VALUES)
    return _Window(first, last, steps.at[channel][inside])


def _of_all(
    channels: Channels, windows: list[_Window], bits: int, parts: int, *, signed: bool
) -> Requantization:
    found = []
    for number, window in enumerate(windows):
        shift = int(channels.shift[number])
        scale = float(channels.multiplier[number]) * 2.0 ** (shift - 31)
        step = _step(shift) if signed and window.at.size else 0
        one = _fitted(window, scale, bits * parts, step)
        if one is None:
            raise UnsupportedError(f"no multiplier meets all steps of channel {number}")
        multiplier, addend = one
        lows = tuple(multiplier >> bits * i & (1 << bits) - 1 for i in range(parts))
        high, at = multiplier >> bits * parts, window.at
        base, top = (int(at[0]) - 1, int(at[-1])) if at.size else (0, 0)
        found.append(Channel(base, window.span, lows, high, addend, top, step))
    return Requantization(bits, parts, signed, found)


def _step(shift: int) -> int:
    """The number that negative sums are lowered by."""
    if not -SHIFT <= shift < 0:
        raise UnsupportedError(f"a channel is shifted by {shift}, expected -1 to -{SHIFT}")
    return 1 << SHIFT + shift


def _fitted(window: _Window, scale: float, bits: int, step: int) -> tuple[int, int] | None:
    """A multiplier with so many bits of ``low``, and an addend, that meet all steps."""
    if not window.at.size:
        return 0, window.first << SHIFT
    top, values = int(window.at[-1]), np.arange(window.first + 1, window.last + 1)
    left = top - window.at
    reached = np.append(left, window.span), np.append(values, window.first)
    missed = np.append(left + 1, 0), np.append(values, window.last + 1)
    nearest = -round(scale * 2.0 ** (SHIFT + bits))
    for near in _MULTIPLIERS:
        multiplier = nearest + near
        least, most = (
            (targets << SHIFT + bits) - multiplier * r + np.where(r > top, step << bits, 0)
            for r, targets in (reached, missed)
        )
        addend = -(-int(least.max()) >> bits)
        if multiplier < 0 and addend << bits < int(most.min()):
            return multiplier, addend
    return None
