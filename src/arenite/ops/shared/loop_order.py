"""The order in which TFLM's reference kernels read and write, step by step.

With this :mod:`arenite.memory.overlap` checks plans whose outputs reach into their inputs. It is
written from the kernels' loops and from prepared parameters, apart from the distances that
registrations state (:mod:`arenite.ops.overlap`): two ways to one number, which tests compare.
Facts: TFLM ``kernels/internal/reference/*.h`` and ``micro/kernels/*.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.memory.overlap import Order
from arenite.ops import Node, NodeView
from arenite.ops.overlap import element_bytes
from arenite.ops.shared.pad import PadParams
from arenite.ops.shared.window import Window

Steps = Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]
Ints = npt.NDArray[np.int64]

#: Larger tensors have to be apart: the steps are counted one by one.
_MOST_STEPS = 1 << 24
_CHUNK = 1 << 16


def order_of(node: Node, view: NodeView, position: int) -> Order | None:
    """The order in which a node reads the input at ``position`` and writes its output.

    None for operators, inputs and shapes that make no order known.
    """
    if view.input(position).size > _MOST_STEPS or view.output(0).size > _MOST_STEPS:
        return None
    if position in _ELEMENTS.get(node.name, ()):
        return element_by_element(view, position)
    make = _ORDERS.get(node.name)
    return None if make is None or position != 0 else make(node, view)


def element_by_element(view: NodeView, position: int) -> Order | None:
    """Element n of an input as large as the output is read before element n is written."""
    x, y = view.input(position), view.output(0)
    if x.size != y.size:
        return None
    n = np.array([0, x.size - 1], np.int64)
    return Order([(n * element_bytes(x), n * element_bytes(y))])


def first_pixels(window: Window, size: tuple[int, ...]) -> Iterator[tuple[Ints, Ints]]:
    """Output positions, and the first pixel that the window reads there; some at a time.

    Positions at which it reads none are left out.
    """
    height, width = size
    rows, columns = _first(window, 0, height), _first(window, 1, width)
    step = max(1, _CHUNK // len(columns))
    for top in range(0, len(rows), step):
        part = rows[top : top + step, None]
        reads = (part >= 0) & (columns >= 0)
        number = (top + np.arange(len(part)))[:, None] * len(columns) + np.arange(len(columns))
        yield number[reads], (part * width + columns)[reads]


def _first(window: Window, axis: int, size: int) -> Ints:
    """The first element of an axis that the window meets at each position; -1 for none."""
    start = np.arange(window.output_size[axis], dtype=np.int64) * window.stride[axis]
    start -= window.padding[axis]
    outside = np.maximum(0, -(start // window.dilation[axis]))  # taps before the image
    first = start + outside * window.dilation[axis]
    is_there = (outside < window.filter_size[axis]) & (first < size)
    return np.where(is_there, first, -1)


def _conv(node: Node, view: NodeView) -> Order | None:
    """For each position, for each output channel: the window, then one value."""
    batches, *size, depth = view.input(0).shape
    channels, element = view.input(1).shape[0], element_bytes(view.input(0))

    def steps(window: Window) -> Steps:
        for position, pixel in first_pixels(window, tuple(size)):
            yield pixel * depth * element, ((position + 1) * channels - 1) * element

    return Order(steps(node.params.window)) if batches == 1 else None


def _depthwise(node: Node, view: NodeView) -> Order | None:
    """For each position, for each input channel, as often as it is multiplied."""
    return channels_in_turn(node.params.window, view, view.options.depth_multiplier)


def _pool(node: Node, view: NodeView) -> Order | None:
    """For each position, for each channel: the window, then one value."""
    return channels_in_turn(node.params.window, view, 1)


def channels_in_turn(window: Window, view: NodeView, multiplier: int) -> Order | None:
    """One value after the other, of channels that read their own only."""
    batches, *size, depth = view.input(0).shape
    element = element_bytes(view.input(0))
    channel = np.array([0, depth - 1], np.int64)  # what lies between is on a line

    def steps() -> Steps:
        for position, pixel in first_pixels(window, tuple(size)):
            read = pixel[:, None] * depth + channel
            before = position[:, None] * depth * multiplier + (channel + 1) * multiplier - 1
            yield read * element, before * element

    return Order(steps()) if batches == 1 else None


def _fully_connected(node: Node, view: NodeView) -> Order:
    """For each row, for each unit: the row, then one value."""
    x, y = view.input(0), view.output(0)
    units, depth = view.input(1).shape[-2:]
    row = np.array([0, x.size // depth - 1], np.int64)
    return Order([(row * depth * element_bytes(x), (row * units + units - 1) * element_bytes(y))])


def _pad(node: Node, view: NodeView) -> Order | None:
    """Output values in order; those inside are read."""
    params: PadParams = node.params
    x, start, shape = view.input(0), params.start, params.output_shape
    inside = tuple(stop - first for first, stop in zip(start, params.stop, strict=True))
    if inside != x.shape:
        return None  # something is cut off

    def steps() -> Steps:
        for number in _counted(x.size):
            places = zip(np.unravel_index(number, x.shape or (1,)), start or (0,), strict=True)
            position = np.ravel_multi_index([at + first for at, first in places], shape or (1,))
            yield number * element_bytes(x), position.astype(np.int64) * element_bytes(x)

    return Order(steps())


def _transpose(node: Node, view: NodeView) -> Order:
    """Output values in order, each read where it is in the input."""
    x, perm = view.input(0), node.params.perm
    strides = [prod(x.shape[axis + 1 :]) for axis in perm]

    def steps() -> Steps:
        for number in _counted(x.size):
            places = np.unravel_index(number, node.params.output_shape)
            read = sum(at.astype(np.int64) * s for at, s in zip(places, strides, strict=True))
            yield np.asarray(read) * element_bytes(x), number * element_bytes(x)

    return Order(steps())


def _copy(node: Node, view: NodeView) -> Order:
    """``memcpy``, unless both are at one address."""
    return Order(unit=0)


def _counted(count: int) -> Iterator[Ints]:
    for begin in range(0, count, _CHUNK):
        yield np.arange(begin, min(begin + _CHUNK, count), dtype=np.int64)


_ONE = (
    *("ABS", "CAST", "CEIL", "COS", "DEQUANTIZE", "ELU", "EXP", "FLOOR", "HARD_SWISH"),
    *("L2_NORMALIZATION", "LEAKY_RELU", "LOG", "LOGICAL_NOT", "LOGISTIC", "NEG", "PRELU"),
    *("QUANTIZE", "RELU", "RELU6", "ROUND", "RSQRT", "SIN", "SOFTMAX", "SQRT", "SQUARE", "TANH"),
    "ZEROS_LIKE",
)
_TWO = (
    *("ADD", "SUB", "MUL", "DIV", "FLOOR_DIV", "FLOOR_MOD", "MAXIMUM", "MINIMUM"),
    *("LOGICAL_AND", "LOGICAL_OR", "SQUARED_DIFFERENCE"),
)
_ELEMENTS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(_ONE, (0,)),
    **dict.fromkeys(_TWO, (0, 1)),
    "SELECT_V2": (0, 1, 2),
}
_ORDERS: dict[str, Callable[[Node, NodeView], Any]] = {
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "AVERAGE_POOL_2D": _pool,
    "MAX_POOL_2D": _pool,
    "FULLY_CONNECTED": _fully_connected,
    "PAD": _pad,
    "PADV2": _pad,
    "TRANSPOSE": _transpose,
    **dict.fromkeys(("RESHAPE", "SQUEEZE", "EXPAND_DIMS", "DYNAMIC_UPDATE_SLICE"), _copy),
}
