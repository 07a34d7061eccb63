"""Parameters of the native kernels that run an NPU's operations; see ``csrc/portable/npu*.c``.

Numbers stand for names by their order in :mod:`arenite.npu.operations`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.npu.feature_map import FeatureMap
from arenite.npu.operations import (
    FUNCTIONS,
    POOLS,
    ROUNDINGS,
    UPSCALES,
    Convolution,
    Elementwise,
    Operand,
    Pool,
    Resize,
    Result,
    Scale,
)
from arenite.npu.operations import Window as NpuWindow
from arenite.ops.shared.window import Window

Four = tuple[int, int, int, int]
_CURVES = ("", "tanh", "logistic")


@dataclass(frozen=True)
class NpuMoveParams:
    """Elements by steps of bytes, along four axes, from one place to another."""

    size: Four
    source: int
    source_steps: Four
    target: int
    target_steps: Four
    element_bytes: int


@dataclass(frozen=True)
class NpuTableParams:
    """A function of a byte: its 256 results in the order of bytes."""

    table: npt.NDArray[np.int8]


@dataclass(frozen=True)
class NpuResultParams:
    """:class:`arenite.npu.operations.Result` without its place; no table is an empty one."""

    rounding: int
    has_scale: bool
    multiplier: int
    shift: int
    zero_point: int
    low: int
    high: int
    curve: int
    table: npt.NDArray[np.int32]
    first: int


@dataclass(frozen=True)
class NpuConvolutionParams:
    """A convolution; depthwise weights are height, width, channels."""

    window: Window
    input_size: tuple[int, int]
    upscale: int
    zero_point: int
    is_depthwise: bool
    weights: npt.NDArray[np.int16]
    bias: npt.NDArray[np.int64]
    multiplier: npt.NDArray[np.int64]
    shift: npt.NDArray[np.int32]
    result: NpuResultParams


@dataclass(frozen=True)
class NpuPoolParams:
    """A pool; whether its sums are divided by how many elements are no padding."""

    kind: int
    window: Window
    input_size: tuple[int, int]
    upscale: int
    zero_point: int
    divides: bool
    result: NpuResultParams


@dataclass(frozen=True)
class NpuOperandParams:
    """An operand: shifted left, multiplied, and unless its rounding is -1 shifted right."""

    multiplier: int
    shift: int
    left: int
    rounding: int


@dataclass(frozen=True)
class NpuElementwiseParams:
    """A function; ``number`` is the second input where that is no map."""

    function: int
    is_reversed: bool
    is_wide: bool
    zero_point: int
    other_zero_point: int
    number: int
    first: NpuOperandParams
    second: NpuOperandParams
    result: NpuResultParams


@dataclass(frozen=True)
class NpuResizeParams:
    """A resizing; vertical numbers, then horizontal ones."""

    is_nearest: bool
    parts: tuple[int, int]
    step: tuple[int, int]
    offset: tuple[int, int]
    zero_point: int
    result: NpuResultParams


def result_params(result: Result) -> NpuResultParams:
    """The end of an operation."""
    scale = result.scale or Scale(1, 0)
    table = np.zeros(0) if result.table is None else result.table
    return NpuResultParams(
        ROUNDINGS.index(result.rounding),
        result.scale is not None,
        scale.multiplier,
        scale.shift,
        result.zero_point,
        *result.limits,
        _CURVES.index(result.curve),
        table.reshape(-1).astype(np.int32),
        result.first,
    )


def window_of(window: NpuWindow, size: tuple[int, int]) -> Window:
    """A window over ``size`` positions."""
    return Window(size, window.kernel, window.stride, window.dilation, window.padding[:2])


def convolution_params(op: Convolution) -> NpuConvolutionParams:
    """Those of a convolution."""
    weights = np.moveaxis(op.weights[..., 0], 0, -1) if op.is_depthwise else op.weights
    return NpuConvolutionParams(
        window_of(op.window, op.result.map.shape[:2]),
        op.window.input,
        UPSCALES.index(op.window.upscale),
        op.input.zero_point,
        op.is_depthwise,
        np.ascontiguousarray(weights).reshape(-1),
        op.bias,
        op.multiplier,
        op.shift.astype(np.int32),
        result_params(op.result),
    )


def pool_params(op: Pool) -> NpuPoolParams:
    """Those of a pool."""
    return NpuPoolParams(
        POOLS.index(op.kind),
        window_of(op.window, op.result.map.shape[:2]),
        op.window.input,
        UPSCALES.index(op.window.upscale),
        op.input.zero_point,
        op.divides,
        result_params(op.result),
    )


def elementwise_params(op: Elementwise) -> NpuElementwiseParams:
    """Those of a function of elements."""
    other = op.other
    return NpuElementwiseParams(
        FUNCTIONS.index(op.function),
        op.is_reversed,
        op.is_wide,
        op.input.zero_point,
        other.zero_point if isinstance(other, FeatureMap) else 0,
        other if isinstance(other, int) else 0,
        *_operands(op),
        result_params(op.result),
    )


def _operands(op: Elementwise) -> tuple[NpuOperandParams, NpuOperandParams]:
    """Of sums and of leaky functions; of others what changes nothing."""
    first, second = op.scales or (Operand(1), Operand(1))
    return _operand(first), _operand(second)


def _operand(scale: Operand) -> NpuOperandParams:
    rounding = ROUNDINGS.index(scale.rounding) if scale.rounding else -1
    return NpuOperandParams(scale.multiplier, scale.shift, scale.left, rounding)


def resize_params(op: Resize) -> NpuResizeParams:
    """Those of a resizing."""
    return NpuResizeParams(
        *(op.mode == "nearest", op.parts, op.step, op.offset),
        *(op.input.zero_point, result_params(op.result)),
    )
