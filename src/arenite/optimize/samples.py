"""Inputs that show differences: extreme and random ones, in sequences."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from arenite.model import Model, Tensor, TensorType
from arenite.model.model import Array
from arenite.peers import Step

#: Values of an input: least and largest.
Limits = tuple[float, float]
#: Inputs of wide integers are indices and counts more often than numbers.
_SMALL = 3
_AGAIN = 3


def sequence(
    model: Model, count: int, ranges: Mapping[str, Limits] | None = None, seed: int = 0
) -> list[Step]:
    """Extreme inputs, ``count`` random ones, a reset, and some of them again.

    ``ranges`` are the least and largest real values of inputs, by name.
    """
    rng = np.random.default_rng(seed)
    limits = [limits_of(tensor, (ranges or {}).get(tensor.name)) for tensor in model.inputs]
    pairs = list(zip(model.inputs, limits, strict=True))
    first = [[_extreme(tensor, ends, kind) for tensor, ends in pairs] for kind in range(4)]
    rest = [[_random(tensor, ends, rng) for tensor, ends in pairs] for _ in range(count)]
    steps: list[Step] = [*first, *rest]
    return [*steps, None, *steps[-_AGAIN:]]


def limits_of(tensor: Tensor, real: Limits | None) -> Limits:
    """The least and largest value of an input in its own numbers."""
    if tensor.type.dtype.kind in "fc":
        return (-8.0, 8.0) if real is None else real
    if tensor.type.dtype.kind == "b":
        return 0, 1
    if tensor.type.bits > 16:
        return 0, _SMALL
    info = np.iinfo(tensor.type.dtype)
    low, high = int(info.min), int(info.max)
    q = tensor.quantization
    if real is None or q is None or not len(q.scale) or not q.scale[0]:
        return low, high
    zero = int(q.zero_point[0]) if len(q.zero_point) else 0
    # Inside of the range: what lies beyond was not promised.
    ends = np.ceil(real[0] / q.scale[0]) + zero, np.floor(real[1] / q.scale[0]) + zero
    first, last = (float(np.clip(end, low, high)) for end in ends)
    return first, max(first, last)


def _extreme(tensor: Tensor, ends: Limits, kind: int) -> Array:
    """All of the least, all of the largest, both in turn, or zero."""
    value = np.full(prod(_shape(tensor)), ends[0])
    if kind == 1:
        value[:] = ends[1]
    elif kind == 2:
        value[1::2] = ends[1]
    elif kind == 3:
        value[:] = min(max(_zero(tensor), ends[0]), ends[1])
    return value.astype(tensor.type.dtype).reshape(_shape(tensor))


def _zero(tensor: Tensor) -> int:
    q = tensor.quantization
    return 0 if q is None or not len(q.zero_point) else int(q.zero_point[0])


def _shape(tensor: Tensor) -> tuple[int, ...]:
    """The shape of a tensor's array: flat bytes, where elements are packed."""
    is_packed = tensor.type.bits != 8 * tensor.type.dtype.itemsize
    return (tensor.nbytes,) if is_packed else tensor.shape


def _random(tensor: Tensor, ends: Limits, rng: np.random.Generator) -> Array:
    shape = _shape(tensor)
    if tensor.type is TensorType.FLOAT32:
        real = rng.normal(0, 0.25 * max(abs(ends[0]), abs(ends[1])), shape)
        return real.clip(*ends).astype(np.float32)
    value = rng.integers(int(ends[0]), int(ends[1]), shape, endpoint=True)
    extreme = rng.random(shape) < 0.05
    return np.where(extreme, rng.choice(ends, shape), value).astype(tensor.type.dtype)
