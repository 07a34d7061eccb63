"""Where a tensor's elements lie in memory, and how they get from one order to another.

=============  ==================  =====================================================
dimension      shape               memory
=============  ==================  =====================================================
Tensorflow     ``(N, ..., C)``     as the shape says
Caffe          ``(N, C, ...)``     as the shape says
Caffe_C4       ``(N, C, ...)``     ``(ceil(C / 4), N, ..., 4)``; channels over C are zero
=============  ==================  =====================================================

Tensors of fewer than three dimensions have one shape in all of them. Facts: MNN 3.6.1
``core/Tensor.cpp``, ``backend/cpu/CPUTensorConvert.cpp``.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from arenite.mnn.session.constants import DimensionType
from arenite.model import Array

Shape = tuple[int, ...]

TENSORFLOW, CAFFE_C4 = DimensionType.TENSORFLOW, DimensionType.CAFFE_C4


def shape_as(shape: Shape, source: DimensionType, target: DimensionType) -> Shape:
    """The shape that a tensor has in another dimension type."""
    return tuple(shape[axis] for axis in _order(len(shape), source, target))


def elements(shape: Shape, dimension: DimensionType) -> int:
    """Elements in memory, those that fill up the last block of channels included."""
    if dimension is CAFFE_C4 and len(shape) > 1:
        return prod(_blocks(shape))
    return prod(shape)


def unpacked(memory: Array, shape: Shape, dimension: DimensionType) -> Array:
    """The values of flat ``memory`` under ``shape``; a view, except of Caffe_C4."""
    if dimension is not CAFFE_C4 or len(shape) < 2:
        return memory.reshape(shape)
    blocks = memory.reshape(_blocks(shape))
    whole = np.moveaxis(blocks, (1, 0, -1), (0, 1, 2))
    channels: Array = whole.reshape((shape[0], -1, *shape[2:]))[:, : shape[1]]
    return channels


def pack(memory: Array, shape: Shape, dimension: DimensionType, values: Array) -> None:
    """Write ``values``, which have the shape, to flat ``memory``."""
    if dimension is not CAFFE_C4 or len(shape) < 2:
        memory.reshape(shape)[...] = values
        return
    blocks = _blocks(shape)
    batch, channels, *rest = shape
    whole = np.zeros((batch, 4 * blocks[0], *rest), memory.dtype)
    whole[:, :channels] = values
    parts: Array = whole.reshape((batch, blocks[0], 4, *rest))
    memory.reshape(blocks)[...] = np.moveaxis(parts, (0, 1, 2), (1, 0, -1))


def converted(values: Array, source: DimensionType, target: DimensionType) -> Array:
    """Values with their axes in another dimension type's order; a view."""
    moved: Array = values.transpose(_order(values.ndim, source, target))
    return moved


def regrouped(source: Shape, target: Shape) -> bool:
    """Whether one shape is the other with neighbouring dimensions merged.

    Then the same memory means the same in both: ``(1, 28, 28)`` and ``(784,)``, but not
    ``(1, 28, 28, 3)`` and ``(1, 3, 28, 28)``.
    """
    if prod(source) != prod(target):
        return False
    a, b = ({1, *accumulate(shape, mul)} for shape in (source, target))
    return a <= b or b <= a


def _order(rank: int, source: DimensionType, target: DimensionType) -> tuple[int, ...]:
    """The axis of the source of each axis of the target."""
    axes = tuple(range(rank))
    if rank < 3 or (source is TENSORFLOW) == (target is TENSORFLOW):
        return axes
    return (0, rank - 1, *axes[1:-1]) if source is TENSORFLOW else (0, *axes[2:], 1)


def _blocks(shape: Shape) -> Shape:
    return (-(-shape[1] // 4), shape[0], *shape[2:], 4)
