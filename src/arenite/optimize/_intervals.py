"""Intervals of values, one for every channel, and what data movement makes of them.

Ends are inclusive. Integers are kept as int64, floats as float64.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np

from arenite.model import Tensor, TensorType
from arenite.ops.context import Array

#: Types whose values are followed: what activations of quantised models have.
FOLLOWED = (TensorType.INT8, TensorType.INT16)


#: Tensors with more channels are no layer's, and not followed.
MOST_CHANNELS = 1 << 18


class Interval(NamedTuple):
    """``low[c] <= value <= high[c]`` for every value of channel ``c``: the last axis."""

    low: Array
    high: Array

    @property
    def is_constant(self) -> Array:
        """The channels with one value only."""
        return np.asarray(self.low == self.high)

    def joined(self, other: Interval) -> Interval:
        """The smallest interval around both."""
        return Interval(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def spread(self, channels: int) -> Interval:
        """The same values in order, in rows of ``channels``.

        Element ``i`` was in channel ``i % old`` and is in ``i % channels``: channels that are
        equal modulo the greatest common divisor may meet.
        """
        common = gcd(len(self.low), channels)
        low = self.low.reshape(-1, common).min(axis=0)
        high = self.high.reshape(-1, common).max(axis=0)
        return Interval(np.tile(low, channels // common), np.tile(high, channels // common))


def channels_of(tensor: Tensor) -> int:
    """Elements along the last axis; 1 for a scalar."""
    return tensor.shape[-1] if tensor.shape else 1


def is_followed(tensor: Tensor) -> bool:
    """Whether the values of a tensor are followed through the graph."""
    return (
        tensor.type in FOLLOWED
        and min(tensor.shape, default=1) > 0
        and channels_of(tensor) <= MOST_CHANNELS
    )


def whole_type(tensor: Tensor) -> Interval:
    """Every value that an int8 or int16 tensor may hold."""
    info = np.iinfo(tensor.type.dtype)
    shape = channels_of(tensor)
    return Interval(np.full(shape, info.min, np.int64), np.full(shape, info.max, np.int64))


def of_values(values: Array) -> Interval:
    """The ends of an array with at least one element, along its last axis."""
    rows = values.reshape(-1, values.shape[-1] if values.ndim else 1)
    dtype = np.float64 if values.dtype.kind == "f" else np.int64
    return Interval(rows.min(axis=0).astype(dtype), rows.max(axis=0).astype(dtype))
