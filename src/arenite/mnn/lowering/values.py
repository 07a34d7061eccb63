"""MNN's tensors, and the Arenite tensors that hold them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import NamedTuple

import numpy as np

from arenite.mnn.file.enums import Format
from arenite.mnn.file.net import Shape
from arenite.model import Array, TensorType


class Layout(Enum):
    """The order of a value's elements in memory."""

    PLAIN = "as the shape says"
    LAST = "axis 1, the channels, last"


class Steps(NamedTuple):
    """The real numbers that int8 stands for: ``real = scale * (q - zero)``.

    What is quantised is clamped to ``low`` and ``high``.
    """

    scale: float
    zero: int
    low: int = -128
    high: int = 127

    def equals(self, other: Steps) -> bool:
        """Whether the same int8 is the same number."""
        return (self.scale, self.zero) == (other.scale, other.zero)

    def quantized(self, array: Array) -> Array:
        """Real numbers as int8, halves away from zero."""
        scaled = array / np.float32(self.scale)
        rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled)) + self.zero
        return np.asarray(np.clip(rounded, self.low, self.high), np.int8)


def same_numbers(a: Steps | None, b: Steps | None) -> bool:
    """Whether the same elements are the same numbers, whatever new ones are clamped to."""
    return a == b or (a is not None and b is not None and a.equals(b))


class Key(NamedTuple):
    """The order of elements, and how they are quantised if they are."""

    layout: Layout
    steps: Steps | None = None


@dataclass(eq=False)
class Bytes:
    """Arenite tensors with the same elements in the same order, by shape.

    A constant has its ``array``, and tensors only for the shapes that somebody reads.
    """

    type: TensorType
    tensors: dict[Shape, int] = field(default_factory=dict)
    array: Array | None = None

    @property
    def shape(self) -> Shape:
        """The shape under which the elements were made."""
        if self.array is not None:
            return tuple(self.array.shape)
        return next(iter(self.tensors))


@dataclass(eq=False)
class Value:
    """A tensor as MNN means it: ``shape`` is in the order of ``format``.

    ``constant`` is set where the value is known while the model is loaded. ``steps`` is how
    MNN quantises the tensor where an operator reads it as int8.
    """

    name: str
    shape: Shape
    type: TensorType
    format: Format
    constant: Array | None = None
    steps: Steps | None = None
    held: dict[Key, Bytes] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def has_two_layouts(self) -> bool:
        """Whether moving the channels to the end changes the shape."""
        return self.format is not Format.NHWC and self.rank > 2

    def layout(self, wanted: Layout) -> Layout:
        """``wanted``, or the only layout that there is."""
        return wanted if self.has_two_layouts else Layout.PLAIN

    def physical(self, layout: Layout) -> Shape:
        """The shape in memory."""
        return tuple(self.shape[axis] for axis in self.order(layout))

    def order(self, layout: Layout) -> tuple[int, ...]:
        """The axis of ``shape`` of each axis in memory."""
        axes = tuple(range(self.rank))
        if self.layout(layout) is Layout.PLAIN:
            return axes
        return (0, *axes[2:], 1)

    @property
    def first(self) -> Key:
        """The value's origin; plain for a constant."""
        return next(iter(self.held), Key(Layout.PLAIN))

    @property
    def key(self) -> Key:
        """The value as real numbers in the order in which it was made."""
        return Key(self.first.layout)
