"""An NPU's operations that are TFLite's layers of int8: the same numbers, so the same kernels.

Rounding is TFLite's, scales fit its multipliers, nothing leaves 32 bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arenite.model import TensorType
from arenite.npu.feature_map import FeatureMap
from arenite.npu.operations import Convolution, Elementwise, Operand, Operation, Result, Scale
from arenite.ops.context import Array, EvalTensor
from arenite.ops.shared.add_sub import AddSubParams
from arenite.ops.shared.npu_records import window_of
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

_INT8, _INT32 = np.iinfo(np.int8), np.iinfo(np.int32)
#: What every kernel for depthwise layers takes.
_MOST_TAPS = 1 << 9
#: TFLite's shift for one that leaves a number of 32 bits as it is, and the largest there is.
_WHOLE, _MOST_SHIFT = 31, 62
#: A half in TFLite's multipliers.
_HALF = 1 << 30
#: What operands of sums are shifted left by.
_LEFT = 20


class Layer(NamedTuple):
    """A kernel with its parameters; weights and bias behind its inputs, which may change places."""

    kernel: str
    params: Any
    constants: tuple[EvalTensor, ...] = ()
    is_reversed: bool = False


def as_layer(op: Operation) -> Layer | None:
    """An operation as a layer of int8, before its table; None if it is none."""
    if isinstance(op, Convolution):
        return _convolution(op)
    return _sum(op) if isinstance(op, Elementwise) else None


def _are_int8(result: Result, *maps: FeatureMap) -> bool:
    """Whether inputs are int8, and what is stored or looked up."""
    if result.curve or any(one.dtype != np.int8 for one in (result.map, *maps)):
        return False
    if result.table is not None and (result.table.ndim != 1 or result.first != _INT8.min):
        return False
    numbers = (*result.limits, *(one.zero_point for one in maps))
    return result.rounding == "double" and all(_INT8.min <= n <= _INT8.max for n in numbers)


# -- convolutions


def _convolution(op: Convolution) -> Layer | None:
    if op.window.upscale or not _are_int8(op.result, op.input) or not _fits_multipliers(op):
        return None
    extent = ((k - 1) * d + 1 for k, d in zip(op.window.kernel, op.window.dilation, strict=True))
    if any(pad >= n for n, pad in zip((*extent,) * 2, op.window.padding, strict=True)):
        return None
    if op.is_depthwise and op.weights[0].size > _MOST_TAPS:
        return None
    bias = _constant(op.bias.astype(np.int32), TensorType.INT32)
    weights, window = op.weights.astype(np.int8), window_of(op.window, op.result.map.shape[:2])
    if not op.is_depthwise:
        dense = Conv2DParams(*_numbers(op), window, groups=1, filter_scratch=0)
        return Layer("CONV_2D", dense, (_constant(weights, TensorType.INT8), bias))
    weights = np.moveaxis(weights, 0, -1).reshape(1, *op.window.kernel, -1)
    own = DepthwiseConv2DParams(*_numbers(op), window, depth_multiplier=1, filter_scratch=0)
    return Layer("DEPTHWISE_CONV_2D", own, (_constant(weights, TensorType.INT8), bias))


def _numbers(op: Convolution) -> tuple[int, int, Array, Array, float, float, bool]:
    """The first parameters of both kernels."""
    low, high = map(float, op.result.limits)
    return -op.input.zero_point, op.result.zero_point, *_multipliers(op), low, high, False


def _fits_multipliers(op: Convolution) -> bool:
    """Whether weights are int8, scales are TFLite's, and sums stay in 32 bits on the way."""
    if op.weights.min() < _INT8.min or op.weights.max() > _INT8.max:
        return False
    if op.multiplier.max() > _INT32.max:
        return False
    magnitude = np.abs(op.weights.astype(np.int64)).reshape(len(op.weights), -1).sum(axis=1)
    largest = 255 * magnitude + np.abs(op.bias)
    return bool((largest <= _INT32.max >> np.maximum(_WHOLE - op.shift, 0)).all())


def _multipliers(op: Convolution) -> tuple[Array, Array]:
    """TFLite's: a shift of 63 leaves nothing of a sum of 32 bits, and TFLite has no such shift."""
    is_nothing = op.shift > _MOST_SHIFT
    multiplier = np.where(is_nothing, 0, op.multiplier).astype(np.int32)
    return multiplier, np.where(is_nothing, 0, _WHOLE - op.shift).astype(np.int32)


def _constant(values: Array, type_: TensorType) -> EvalTensor:
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return EvalTensor(type_, values.shape, values)


# -- sums


def _sum(op: Elementwise) -> Layer | None:
    """ADD, whose operands are shifted left, of which one at least is not scaled but by a half."""
    other, result = op.other, op.result
    if op.function != "add" or not isinstance(other, FeatureMap) or other.shape != op.input.shape:
        return None
    if op.scales is None or not _are_int8(result, op.input, other):
        return None
    inputs = (other, op.input) if op.is_reversed else (op.input, other)
    first, second = (_operand(one) for one in op.scales)
    total = _total(result.scale)
    if first is None or second is None or total is None:
        return None
    low, high = map(float, result.limits)
    offsets = -inputs[0].zero_point, -inputs[1].zero_point, result.zero_point
    params = AddSubParams(1, low, high, *offsets, _LEFT, *first, *second, *total)
    return Layer("ADD", params, is_reversed=op.is_reversed)


def _operand(scale: Operand) -> tuple[int, int] | None:
    """TFLite's multiplier and shift of an operand that was shifted left; None for another way."""
    if scale == Operand(1, left=_LEFT - 1):
        return _HALF, 0
    shift = _WHOLE - scale.shift
    fits = scale.multiplier <= _INT32.max and -_WHOLE <= shift <= 0
    is_shifted = scale.left == _LEFT and scale.rounding == "double"
    return (scale.multiplier, shift) if fits and is_shifted else None


def _total(scale: Scale | None) -> tuple[int, int] | None:
    """Those of a sum."""
    if scale is None or scale.multiplier > _INT32.max or not _WHOLE <= scale.shift <= _MOST_SHIFT:
        return None
    return scale.multiplier, _WHOLE - scale.shift
