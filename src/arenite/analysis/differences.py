"""Differences of one tensor's values on two sides: how large, where, and of what share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.model import Tensor
from arenite.model.model import Array
from arenite.peers import Tensors

Reals = npt.NDArray[np.float64]

#: Floats are equal within this share of the tensor's largest magnitude.
FLOAT_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Worst:
    """The element that is furthest off: in which inference, where, and what both have there."""

    run: int
    place: tuple[int, ...]
    first: float
    second: float


class Stack(NamedTuple):
    """A tensor's values of all inferences, flat and one after the other.

    ``shapes`` are those of each inference: an operator may compute them, whatever the file says.
    """

    tensor: Tensor
    values: Array
    shapes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tensor: Tensor, index: int, runs: Sequence[Tensors]) -> Stack:
        """One tensor of all runs."""
        arrays = [run[index] for run in runs]
        values = np.concatenate([array.reshape(-1) for array in arrays])
        return cls(tensor, values, tuple(array.shape for array in arrays))

    @property
    def sizes(self) -> list[int]:
        """Elements of each inference."""
        return [prod(shape) for shape in self.shapes]

    @property
    def real(self) -> Reals:
        """Real numbers that the values stand for."""
        q, wide = self.tensor.quantization, self.values.astype(np.float64)
        if self.values.dtype.kind not in "iu" or q is None or len(q.scale) != 1:
            return wide
        zero = float(q.zero_point[0]) if len(q.zero_point) else 0.0
        return (wide - zero) * float(q.scale[0])


def error_of(a: Reals, b: Reals) -> Reals:
    """Distance of both; none where both are no number."""
    with np.errstate(invalid="ignore"):
        error = np.abs(a - b)
    error[(np.isnan(a) & np.isnan(b)) | (a == b)] = 0
    return np.nan_to_num(error, nan=np.inf)


def largest(a: Reals) -> float:
    """Largest magnitude that is a number."""
    return float(np.abs(a[np.isfinite(a)]).max(initial=0))


def worst_of(x: Stack, a: Reals, b: Reals, error: Reals) -> Worst:
    """Element of ``x`` with the largest error."""
    place = int(error.argmax())
    ends = np.cumsum(x.sizes)
    run = int(np.searchsorted(ends, place, side="right"))
    shape, begin = x.shapes[run], int(ends[run]) - x.sizes[run]
    inside = np.unravel_index(place - begin, shape) if shape else ()
    return Worst(run, tuple(map(int, inside)), float(a[place]), float(b[place]))


def same_numbers(x: Stack, y: Stack) -> bool:
    """Whether equal integers mean equal values on both sides."""
    if x.values.dtype != y.values.dtype or x.values.dtype.kind not in "iub":
        return False
    a, b = x.tensor.quantization, y.tensor.quantization
    if a is None or b is None:
        return a is b
    return np.array_equal(a.scale, b.scale) and np.array_equal(a.zero_point, b.zero_point)


def sqnr(x: Reals, y: Reals) -> float:
    """Signal to error, in dB; infinite where all is equal."""
    with np.errstate(all="ignore"):
        noise, signal = float(((x - y) ** 2).sum()), float((x**2).sum())
    if noise == 0:
        return math.inf
    if not signal or not math.isfinite(noise):
        return -math.inf
    return 10 * math.log10(signal / noise)


def cosine(x: Reals, y: Reals) -> float:
    """Cosine of the angle between both."""
    with np.errstate(all="ignore"):
        lengths = math.sqrt(float((x**2).sum()) * float((y**2).sum()))
        product = float((x * y).sum())
    if not lengths:
        return 1.0 if not (x - y).any() else 0.0
    return product / lengths
