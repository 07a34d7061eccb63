"""The order in which CMSIS-NN's functions read and write, step by step.

As :mod:`arenite.ops.shared.loop_order`, for what checks overlapping plans. Facts: CMSIS-NN
(July 2026) ``ConvolutionFunctions/arm_convolve_s8.c``, ``arm_convolve_1x1_s8*.c``,
``arm_depthwise_conv_*.c``, ``NNSupportFunctions/arm_nn_mat_mult_nt_t_s8.c``,
``PoolingFunctions/*.c`` and what they call.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.libraries.path import Path
from arenite.memory.overlap import Order
from arenite.model import TensorType
from arenite.ops import Node, NodeView
from arenite.ops.shared import loop_order as reference
from arenite.ops.shared.loop_order import Steps, first_pixels
from arenite.ops.shared.pooling import Pool2DParams
from arenite.ops.shared.window import Window
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams
from arenite.target import Target

Ints = npt.NDArray[np.int64]

#: Functions that take an element, or some, and write them, in the order of the reference.
_AS_REFERENCE = (
    *("arm_elementwise_add_s8", "arm_elementwise_add_s16", "arm_elementwise_mul_s8"),
    *("arm_elementwise_mul_s16", "arm_maximum_s8", "arm_minimum_s8", "arm_softmax_s8"),
    *("arm_softmax_s16", "arm_softmax_s8_s16", "arm_pad_s8", "arm_depthwise_conv_s8"),
    *("arm_depthwise_conv_3x3_s8", "arm_avgpool_s8"),
)


def order_of(node: Node, view: NodeView, position: int, path: Path, target: Target) -> Order | None:
    """The order in which a function reads the input at ``position`` and writes the output."""
    if path.function in _AS_REFERENCE:
        return reference.order_of(node, view, position)
    x = view.input(position)
    if position != 0 or x.type is not TensorType.INT8 or x.shape[:1] != (1,):
        return None
    if path.function == "arm_max_pool_s8":
        return _maxima(_window_of(node), view)
    if path.function == "arm_depthwise_conv_s8_opt":
        return _depthwise(node, view, target)
    return _convolution(node, view, path, target)


def _window_of(node: Node) -> Window:
    params: Conv2DParams | DepthwiseConv2DParams | Pool2DParams = node.params
    return params.window


def _convolution(node: Node, view: NodeView, path: Path, target: Target) -> Order | None:
    """CONV_2D with the filters of all channels, and what is computed as one."""
    weights = view.input(1)
    if path.inner is not None:
        path = path.inner if "arm_convolve_s8" in path.inner.calls else Path("")
    elif path.function.startswith("arm_depthwise") or weights.shape[-1] != view.input(0).shape[-1]:
        return None
    if weights.type is not TensorType.INT8:
        return None
    if "arm_convolve_s8" in path.calls:
        return _im2col(_window_of(node), view, 4 if target.instructions == "mve" else 2)
    if path.function == "arm_convolve_1x1_s8_fast":
        if "arm_nn_mat_mult_kernel_s8_s16" in path.calls:
            return _im2col(_window_of(node), view, 2)
        return _products(_window_of(node), view, target)
    return _products(_window_of(node), view, target) if "1x1_s8" in path.function else None


def _im2col(window: Window, view: NodeView, rows: int) -> Order:
    """Windows are copied; when there are so many, all their channels are written."""
    _, *size, depth = view.input(0).shape
    channels = view.output(0).shape[-1]

    def steps() -> Steps:
        for position, pixel in first_pixels(window, tuple(size)):
            yield pixel * depth, (position - position % rows) * channels

    return Order(steps())


def _products(window: Window, view: NodeView, target: Target) -> Order:
    """Every matrix product takes a row of pixels, with strides of 1 all of them.

    ``arm_nn_mat_mult_nt_t_s8``: the last step at which a row is read.
    """
    _, _, width, depth = view.input(0).shape
    (out_h, out_w), channels = window.output_size, view.output(0).shape[-1]
    is_one = window.stride == (1, 1)
    products, rows = (1, out_h * out_w) if is_one else (out_h, out_w)
    row = np.arange(rows, dtype=np.int64)
    inside = _in_vectors(row, channels) if target.instructions == "mve" else _pairs(row, channels)

    def steps() -> Steps:
        for product in range(products):
            first = product * window.stride[0] * width
            pixel = first + row * (1 if is_one else window.stride[1])
            yield pixel * depth, product * rows * channels + inside

    return Order(steps())


def _pairs(row: Ints, channels: int) -> Ints:
    """For each pair of channels, for each pair of rows; a channel that is left goes row by row."""
    rows = len(row)
    left = channels % 2
    before = channels - (left or 2)  # channels that are written of all rows
    here = row if left else row // 2 * 2  # rows that are written of these
    passed = np.where(here > 0, (here - 1) * channels + channels, 0)
    return passed if before <= 0 else np.maximum(passed, (rows - 1) * channels + before)


def _in_vectors(row: Ints, channels: int) -> Ints:
    """For four rows, for each channel; then for each row that is left, for four channels."""
    whole = len(row) // 4 * 4
    group = row // 4 * 4
    previous = group * channels
    last_row = (group + 3) * channels + channels - 1  # without its last channel
    together = np.where(channels > 1, np.maximum(previous, last_row), previous)
    alone = row * channels + (channels - 1) // 4 * 4
    return np.where(row < whole, together, alone)


def _depthwise(node: Node, view: NodeView, target: Target) -> Order | None:
    """Windows of four pixels, of at most 124 channels at a time, are copied and multiplied."""
    if target.instructions != "mve":
        return reference.order_of(node, view, 0)
    if view.input(1).type is not TensorType.INT8:
        return None
    _, *size, channels = view.input(0).shape

    def steps() -> Steps:
        for position, pixel in first_pixels(_window_of(node), tuple(size)):
            yield pixel * channels, position // 4 * 4 * channels

    return Order(steps(), channels if channels > 124 else 1)


def _maxima(window: Window, view: NodeView) -> Order:
    """All channels of a position are written with the first pixel, and again with the others."""
    _, *size, channels = view.input(0).shape

    def steps() -> Steps:
        for position, pixel in first_pixels(window, tuple(size)):
            yield pixel * channels, (position + 1) * channels

    return Order(steps())
