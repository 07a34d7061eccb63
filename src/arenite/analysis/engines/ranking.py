"""The largest values of an output, as classes are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arenite.model import Tensor
from arenite.model.model import Array
from arenite.runtime.io_conversion import dequantized


@dataclass(frozen=True)
class Ranked:
    """One of an output's largest values; ``value`` is the real number that ``raw`` stands for."""

    index: int
    label: str
    value: float
    raw: int | float


def top(array: Array, tensor: Tensor, labels: Sequence[str], count: int) -> list[Ranked]:
    """The ``count`` largest of a vector's values, equal ones by index, NaN last.

    Empty if the output has more than one axis that is longer than 1, a single value, or values
    that have no order or are packed.
    """
    if sum(n > 1 for n in array.shape) != 1 or not is_plain(tensor):
        return []
    raw, values = array.reshape(-1), dequantized(array, tensor).reshape(-1)
    order = _descending(values)[:count]
    return [
        Ranked(int(i), labels[i] if labels else "", float(values[i]), raw[i].item()) for i in order
    ]


def is_plain(tensor: Tensor) -> bool:
    """Whether every value is a real number in whole bytes."""
    dtype = tensor.type.dtype
    return tensor.type.bits == dtype.itemsize * 8 and dtype.kind in "biuf"


def _descending(values: Array) -> Array:
    """Indices from the largest value to the smallest; there is no minus for bool and unsigned."""
    order: Array = len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1]
    missing = np.isnan(values[order])
    return np.concatenate([order[~missing], order[missing]])
