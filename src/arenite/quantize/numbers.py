"""Real numbers as integers with a scale: TensorFlow Lite's scheme for values, weights and biases.

Facts: LiteRT's 8-bit quantisation specification and TensorFlow's ``quantization_utils.cc``: values
are asymmetric with 0 exactly representable, int16 values and all weights symmetric, a bias has the
product of two scales.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model import Quantization, TensorType
from arenite.model.model import Array
from arenite.model.types import INT4, INT8, INT16
from arenite.ops.kernel_util import QUANTIZED_RANGE

#: The largest magnitude of weights, which is the same on both sides of 0.
MOST = {INT4: 7, INT8: 127, INT16: 32767}
#: A bias may reach so far, so that the sums it is added to stay within their type.
_BIAS_MOST = {TensorType.INT32: 2.0**30, TensorType.INT64: 2.0**46}
#: Shares of the largest weight that may be the end of int4.
_SHARES = np.linspace(1.0, 0.4, 31)
#: The least scale: products of two are still no denormal numbers.
_LEAST_SCALE = 2.0**-60


def affine(low: float, high: float, kind: TensorType) -> Quantization:
    """Scale and zero point of values from ``low`` to ``high``; 0 is always among them."""
    low, high = min(low, 0.0), max(high, 0.0)
    if kind is INT16:
        scale = max(-low, high) / MOST[INT16]
        return single(_usable(scale))
    least, most = QUANTIZED_RANGE[kind]
    scale = float(np.float32(_usable((high - low) / (most - least))))
    zero_point = int(np.clip(np.rint(least - low / scale), least, most))
    return single(scale, zero_point)


def single(scale: float, zero_point: int = 0) -> Quantization:
    """One scale for all."""
    return Quantization(np.array([scale], np.float32), np.array([zero_point], np.int64))


def _usable(scale: float) -> float:
    """A scale that may be divided by: where all values are 0, any one does."""
    return scale if scale >= _LEAST_SCALE else 1.0


def symmetric(values: Array, axis: int | None, kind: TensorType) -> Quantization:
    """Scales of weights: one for all, or one for each slice along ``axis``.

    A slice of zeros has the scale of the largest one. int4 has too few integers for outliers: its
    scales are those of the least squared error.
    """
    magnitudes = np.abs(values.astype(np.float64))
    if axis is None:
        most = magnitudes.max(initial=0.0, keepdims=True).reshape(-1)
    else:
        others = tuple(n for n in range(values.ndim) if n != axis)
        most = magnitudes.max(axis=others, initial=0.0)
    scales = most / MOST[kind]
    scales[scales < _LEAST_SCALE] = _usable(float(scales.max(initial=0.0)))
    if kind is INT4:
        scales = _least_error(values.astype(np.float64), scales, axis)
    zeros = np.zeros(len(scales), np.int64)
    return Quantization(scales.astype(np.float32), zeros, axis or 0)


def _least_error(values: Array, scales: Array, axis: int | None) -> Array:
    """Scales up to the given ones with which int4 weights are nearest to the real ones."""
    rows = values.reshape(1, -1) if axis is None else np.moveaxis(values, axis, 0)
    rows = rows.reshape(len(scales), -1)
    best = np.full(len(scales), np.inf)
    found: Array = scales.copy()
    for share in _SHARES:
        tried = (scales * share)[:, None]
        near = np.clip(np.rint(rows / tried), -MOST[INT4], MOST[INT4]) * tried
        error = ((rows - near) ** 2).sum(axis=1)
        found = np.where(error < best, tried[:, 0], found)
        best = np.minimum(error, best)
    return found


def along(quantization: Quantization, rank: int) -> Array:
    """Scales as float64, shaped so that they multiply a tensor of that many dimensions."""
    scales: Array = quantization.scale.astype(np.float64)
    if len(scales) == 1:
        return scales.reshape((1,) * rank)
    shape = [1] * rank
    shape[quantization.quantized_dimension] = len(scales)
    return scales.reshape(shape)


def quantized(values: Array, quantization: Quantization, kind: TensorType) -> Array:
    """The nearest integers; weights stay symmetric."""
    raw = values.astype(np.float64) / along(quantization, values.ndim)
    zero = int(quantization.zero_point[0])
    low, high = QUANTIZED_RANGE.get(kind, (-MOST[INT4], MOST[INT4]))
    dtype = np.int8 if kind is INT4 else kind.dtype
    rounded: Array = np.clip(np.rint(raw) + zero, low, high).astype(dtype)
    return rounded


def packed_int4(values: Array) -> Array:
    """int4 values as TensorFlow Lite packs them: two a byte, the first in the low half."""
    flat = values.reshape(-1).astype(np.uint8) & 15
    if len(flat) % 2:
        flat = np.append(flat, np.uint8(0))
    packed: Array = flat[0::2] | (flat[1::2] << 4)
    return packed


def roomy(weights: Quantization, bias: Array, scale: float, wide: TensorType) -> Quantization:
    """Scales of weights that leave room for a bias, where the values' scale is ``scale``."""
    least = np.abs(bias.astype(np.float64).reshape(-1)) / (scale * _BIAS_MOST[wide])
    if len(weights.scale) == 1:
        least = least.max(initial=0.0, keepdims=True)
    if np.all(weights.scale >= least):
        return weights
    return replace(weights, scale=np.maximum(weights.scale, least.astype(np.float32)))


def bias_of(
    bias: Array, scale: float, weights: Quantization, wide: TensorType
) -> tuple[Array, Quantization]:
    """A bias in the product of two scales, and that product, which is computed in float32."""
    product = np.float32(scale) * weights.scale.astype(np.float32)
    raw = np.rint(bias.astype(np.float64).reshape(-1) / product.astype(np.float64))
    limits = np.iinfo(wide.dtype)
    limited = np.clip(raw, float(limits.min), np.nextafter(float(limits.max), 0.0))
    quantization = Quantization(product, np.zeros(len(product), np.int64), 0)
    return limited.astype(wide.dtype).reshape(bias.shape), quantization
