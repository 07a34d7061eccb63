"""Counts of the loops of CMSIS-NN's and TFLM's C functions, from shapes alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arenite.libraries import shapes
from arenite.libraries.cmsis_nn.cost.loops import (
    convolution,
    copies,
    custom,
    depthwise,
    elementwise,
    layers,
    moves,
    narrow,
    recurrent,
    reductions,
    signal,
    tflm,
    wide,
    windows,
)
from arenite.libraries.cmsis_nn.cost.loops.transposed import arm_transpose_conv_wrapper_s8
from arenite.libraries.costs import Loop
from arenite.libraries.path import Path
from arenite.ops.constraints import NodeView
from arenite.target import Target

__all__ = ["Loop", "is_counted", "loops_of"]


def loops_of(view: NodeView, path: Path | None, target: Target) -> list[Loop] | None:
    """All loops of one operator in one inference, None where there is no model of them.

    ``path`` is where its work goes; None for an operator without a CMSIS-NN kernel.
    """
    function = view.name if path is None else path.function
    if path is not None and function in _WRAPPERS:
        kernel = [*_WRAPPERS[function](view, path, target), Loop("TFLM", view.name, 1)]
    elif function in _LOOPS:
        kernel = [*_LOOPS[function](view, target), Loop("TFLM", view.name, 1)]
    elif function in _WHOLE:
        kernel = _WHOLE[function](view, target)
    elif view.name in _OWN_KERNELS and (path is None or not path.is_library):
        kernel = _OWN_KERNELS[view.name](view)
    else:
        return None
    loops = [Loop("TFLM", "operator", 1), *kernel]
    return [loop for loop in loops if loop.times]


def is_counted(name: str) -> bool:
    """Whether the loops of an operator's own kernel are known, whatever functions it may have."""
    return name in _OWN_KERNELS or name in _LOOPS


def _convolution(view: NodeView, path: Path, target: Target) -> list[Loop]:
    if view.name == "FULLY_CONNECTED":
        return layers.fully_connected_as_convolution(shapes.fully_connected(view), target)
    if view.name == "TRANSPOSE_CONV":
        return _transposed(view, path, target)
    return convolution.arm_convolve_wrapper_s8(shapes.convolution(view), path, target)


def _transposed(view: NodeView, path: Path, target: Target) -> list[Loop]:
    conv = shapes.transpose_convolution(view)
    has_bias = len(view.inputs) > 3 and view.inputs[3] is not None
    return arm_transpose_conv_wrapper_s8(conv, path, target, has_bias=has_bias)


def _depthwise(view: NodeView, path: Path, target: Target) -> list[Loop]:
    conv = shapes.depthwise_convolution(view)
    return depthwise.arm_depthwise_conv_wrapper_s8(conv, path, target)


def _fully_connected(view: NodeView, target: Target) -> list[Loop]:
    layer, zero_point = shapes.fully_connected(view), view.input(1).zero_point
    return layers.arm_fully_connected_s8(layer, target, weights_zero_point=zero_point)


def _per_channel(view: NodeView, target: Target) -> list[Loop]:
    return layers.arm_fully_connected_per_channel_s8(shapes.fully_connected(view), target)


def _average_pool(view: NodeView, target: Target) -> list[Loop]:
    return layers.arm_avgpool_s8(shapes.pooling(view), target)


def _max_pool(view: NodeView, target: Target) -> list[Loop]:
    return layers.arm_max_pool_s8(shapes.pooling(view), target)


def _elementwise(view: NodeView, target: Target, *, name: str) -> list[Loop]:
    return layers.elementwise(name, view.output(0).size, target)


def _larger_or_smaller(view: NodeView, target: Target, *, name: str) -> list[Loop]:
    operands = (view.input(0).shape, view.input(1).shape, view.output(0).shape)
    return layers.larger_or_smaller(name, operands, target)


def _softmax(view: NodeView, target: Target) -> list[Loop]:
    given = view.input(0)
    size, radius = given.shape[-1], layers.softmax_radius(given.scale, view.options.beta)
    return layers.arm_nn_softmax_common_s8(given.size // max(size, 1), size, radius)


def _transpose(view: NodeView, target: Target) -> list[Loop]:
    shape, order = view.input(0).shape, view.input(1).data
    axes = tuple(range(len(shape))) if order is None else tuple(int(axis) for axis in order)
    return layers.arm_transpose_s8(shape, axes, target)


def _svdf(view: NodeView, target: Target, *, name: str) -> list[Loop]:
    return recurrent.svdf(recurrent.svdf_of(view), target, name)


def _lstm(view: NodeView, target: Target) -> list[Loop]:
    return recurrent.arm_lstm_unidirectional_s8(recurrent.lstm_of(view), target)


def _tflm(view: NodeView, target: Target, *, count: Callable[[NodeView], list[Loop]]) -> list[Loop]:
    return count(view)


#: What wrappers choose from: the path says more than the function.
_WRAPPERS: dict[str, Callable[[NodeView, Path, Target], list[Loop]]] = {
    **dict.fromkeys(convolution.FUNCTIONS, _convolution),
    "arm_transpose_conv_s8": _transposed,
    **dict.fromkeys(depthwise.FUNCTIONS, _depthwise),
}
_LOOPS: dict[str, Callable[[NodeView, Target], list[Loop]]] = {
    "arm_fully_connected_s8": _fully_connected,
    "arm_fully_connected_per_channel_s8": _per_channel,
    "arm_avgpool_s8": _average_pool,
    "arm_max_pool_s8": _max_pool,
    "arm_elementwise_add_s8": partial(_elementwise, name="arm_elementwise_add_s8"),
    "arm_elementwise_mul_s8": partial(_elementwise, name="arm_elementwise_mul_s8"),
    "arm_maximum_s8": partial(_larger_or_smaller, name="arm_maximum_s8"),
    "arm_minimum_s8": partial(_larger_or_smaller, name="arm_minimum_s8"),
    "arm_pad_s8": copies.arm_pad_s8,
    "arm_transpose_s8": _transpose,
    "arm_softmax_s8": _softmax,
    "arm_softmax_s8_s16": _softmax,
    "arm_svdf_s8": partial(_svdf, name="arm_svdf_s8"),
    "arm_svdf_state_s16_s8": partial(_svdf, name="arm_svdf_state_s16_s8"),
    "arm_lstm_unidirectional_s8": _lstm,
    **{name: partial(_tflm, count=count) for name, count in tflm.COPIES.items()},
}
#: Functions whose loops hold all that the operator does, glue included.
_WHOLE = {**wide.FUNCTIONS, **narrow.FUNCTIONS, **recurrent.FUNCTIONS}
#: TFLM's own kernels, by operator: their loops hold all they do, the preparation included.
_OWN_KERNELS: dict[str, Callable[[NodeView], list[Loop]]] = {
    **custom.KERNELS,
    **elementwise.KERNELS,
    **moves.KERNELS,
    **recurrent.KERNELS,
    **reductions.KERNELS,
    **signal.KERNELS,
    **windows.KERNELS,
    **tflm.KERNELS,
}
