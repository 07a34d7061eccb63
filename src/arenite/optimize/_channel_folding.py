"""Input channels that a layer can do without, and what its bias takes up for them.

An input channel that always is ``v`` adds ``(v - zero point) * w`` for every tap that meets the
image, and nothing for a tap beside it. The sum of these is the same at all positions, and can go to
the bias, where ``v`` is the zero point, or where all weights of taps that may lie beside the image
are 0. A channel whose weights are all 0 adds nothing, whatever it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.ops.context import Array
from arenite.optimize._intervals import Interval
from arenite.optimize._sums import Taps


@dataclass(frozen=True, eq=False)
class Layer:
    """A CONV_2D or FULLY_CONNECTED, by filter and input channel.

    Attributes:
        operator: Its index.
        x: Its input tensor.
        y: Its output tensor.
        sums: Sums of weights over the taps that meet the image at all positions, int32.
        is_read: Whether any weight of a tap that ever meets the image is not 0.
        is_read_at_border: The same for taps that meet the image at some positions only.
        bias: What it has now, int64, by filter.
        limits: The least and largest bias that its type holds; None where it cannot change.
    """

    operator: int
    x: int
    y: int
    sums: Array
    is_read: Array
    is_read_at_border: Array
    bias: Array
    limits: tuple[int, int] | None

    def can_go(self, inputs: Interval, filters: Array) -> Array:
        """The input channels that can go if only ``filters`` (by filter, bool) are left.

        ``inputs`` are the channels' values without their zero point.
        """
        unread = ~self.is_read[filters].any(axis=0)
        zero = (inputs.low == 0) & (inputs.high == 0)
        if self.limits is None:
            return np.asarray(unread | zero)
        at_border = self.is_read_at_border[filters].any(axis=0)
        return np.asarray(unread | zero | (inputs.is_constant & ~at_border))

    def addends(self, inputs: Interval, gone: Array) -> Array:
        """The sums that input channels that are ``gone`` (bool) add, by filter."""
        adding = gone & inputs.is_constant & (inputs.low != 0)
        sums = self.sums[:, adding].astype(np.int64)
        return np.asarray(sums @ inputs.low[adding])

    def too_much(self, inputs: Interval, gone: Array, filters: Array) -> Array:
        """The channels, of those that are gone, that would take a bias beyond its type."""
        if self.limits is None:
            return np.zeros_like(gone)
        total = self.addends(inputs, gone) + self.bias
        beyond = filters & ((total < self.limits[0]) | (total > self.limits[1]))
        adding = gone & inputs.is_constant & (inputs.low != 0)
        return np.asarray(adding & (self.sums[beyond] != 0).any(axis=0))


def layer_of(
    places: tuple[int, int, int],
    weights: Array,
    taps: Taps,
    bias: Array,
    limits: tuple[int, int] | None,
) -> Layer:
    """A layer at ``(operator, x, y)``; ``weights`` are ``(filters, rows, columns, inputs)``."""
    always, sometimes = weights[:, taps.always], weights[:, taps.sometimes]
    at_border = (sometimes != 0).any(axis=1)
    is_read = (always != 0).any(axis=1) | at_border
    sums = always.sum(axis=1, dtype=np.int32)
    return Layer(*places, sums, is_read, at_border, bias, limits)
