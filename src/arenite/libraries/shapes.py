"""Shapes as functions of kernel libraries take them, made from a node as TFLM's glue makes them.

Facts: CMSIS-NN ``Include/arm_nn_types.h``; TFLM ``micro/kernels/cmsis_nn/*.cc``; esp-tflite-micro
``micro/kernels/esp_nn/*.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from arenite.libraries.path import Condition
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import window_output_size, window_padding
from arenite.ops.tflite.fully_connected import is_per_channel
from arenite.ops.tflite.transpose_conv import padding as transposed_padding


@dataclass(frozen=True)
class Dims:
    """``cmsis_nn_dims``: batches, height, width, channels."""

    n: int
    h: int
    w: int
    c: int


@dataclass(frozen=True)
class Pair:
    """``cmsis_nn_tile``: something along both axes of an image."""

    h: int
    w: int

    def __str__(self) -> str:
        return f"{self.h} x {self.w}"


ONE = Pair(1, 1)


@dataclass(frozen=True)
class ConvShape:
    """A convolution's shapes and geometry.

    ``filter`` holds batches 1, height, width and the channels of one group; for depthwise
    convolutions all output channels. ``ch_mult`` is a depthwise convolution's depth multiplier.
    """

    input: Dims
    filter: Dims
    output: Dims
    stride: Pair = ONE
    padding: Pair = Pair(0, 0)
    dilation: Pair = ONE
    ch_mult: int = 1

    @property
    def groups(self) -> int:
        """Groups of channels that are convolved by themselves."""
        return self.input.c // self.filter.c


@dataclass(frozen=True)
class DenseShape:
    """A fully connected layer: ``batches`` rows of ``depth`` values become rows of ``units``.

    ``rank`` is the number of the output's dimensions.
    """

    batches: int
    depth: int
    units: int
    rank: int = 2
    per_channel: bool = False


def nhwc(shape: tuple[int, ...]) -> Dims:
    """A shape of four dimensions."""
    n, h, w, c = shape
    return Dims(n, h, w, c)


def convolution(view: NodeView) -> ConvShape:
    """The shapes of a CONV_2D."""
    inp, weights = nhwc(view.input(0).shape), view.input(1).shape
    return _windowed(view, inp, Dims(1, *weights[1:]), weights[0])


def depthwise_convolution(view: NodeView) -> ConvShape:
    """The shapes of a DEPTHWISE_CONV_2D."""
    inp, weights = nhwc(view.input(0).shape), nhwc(view.input(1).shape)
    return _windowed(view, inp, weights, weights.c, view.options.depth_multiplier)


def pooling(view: NodeView) -> ConvShape:
    """The shapes of a pooling: its filter has one channel."""
    inp, options = nhwc(view.input(0).shape), view.options
    return _windowed(view, inp, Dims(1, options.filter_height, options.filter_width, 1), inp.c)


def transpose_convolution(view: NodeView) -> ConvShape:
    """The shapes of a TRANSPOSE_CONV."""
    weights, options = view.input(1).shape, view.options
    output = view.output(0).shape
    strides = (options.stride_h, options.stride_w)
    axes = zip(output[1:3], weights[1:3], strides, strict=True)
    return ConvShape(
        input=nhwc(view.input(2).shape),
        filter=nhwc(weights),
        output=nhwc(output),
        stride=Pair(*strides),
        padding=Pair(*(transposed_padding(options.padding, *axis) for axis in axes)),
    )


def fully_connected(view: NodeView) -> DenseShape:
    """The shapes of a FULLY_CONNECTED."""
    weights, output = view.input(1), view.output(0)
    units, depth = weights.shape[-2:]
    return DenseShape(
        batches=output.size // units,
        depth=depth,
        units=units,
        rank=len(output.shape),
        per_channel=is_per_channel(weights),
    )


def same_shapes(view: NodeView) -> Condition:
    """Whether nothing broadcasts (``ProcessBroadcastShapes``); leading ones do not count."""
    a, b = view.input(0).shape, view.input(1).shape
    rank = max(len(a), len(b))
    extended = [(1,) * (rank - len(shape)) + shape for shape in (a, b)]
    values = f"{list(a)}" if a == b else f"{list(a)}, {list(b)}"
    return Condition(f"the inputs have one shape: {values}", extended[0] == extended[1])


def _windowed(view: NodeView, inp: Dims, taps: Dims, channels: int, ch_mult: int = 1) -> ConvShape:
    options: Any = view.options
    stride = Pair(options.stride_h, options.stride_w)
    dilation = Pair(
        getattr(options, "dilation_h_factor", 1), getattr(options, "dilation_w_factor", 1)
    )
    rows = (inp.h, taps.h, stride.h, dilation.h)
    columns = (inp.w, taps.w, stride.w, dilation.w)
    (height, top), (width, left) = (_axis(options.padding, *axis) for axis in (rows, columns))
    return ConvShape(
        input=inp,
        filter=taps,
        output=Dims(inp.n, height, width, channels),
        stride=stride,
        padding=Pair(top, left),
        dilation=dilation,
        ch_mult=ch_mult,
    )


def _axis(padding: int, size: int, taps: int, stride: int, dilation: int) -> tuple[int, int]:
    """Outputs and padding along one axis."""
    outputs = window_output_size(padding, size, taps, stride, dilation)
    return outputs, window_padding(stride, dilation, size, taps, outputs)


def taps_inside(conv: ConvShape) -> int:
    """Taps of all windows of one image that meet the image and no padding."""
    return axis_inside(conv, "h") * axis_inside(conv, "w")


def axis_inside(conv: ConvShape, axis: Literal["h", "w"]) -> int:
    """Taps along one axis of all windows along it that meet the image."""
    size, taps, stride, padding, dilation, outputs = (
        int(getattr(part, axis))
        for part in (
            conv.input,
            conv.filter,
            conv.stride,
            conv.padding,
            conv.dilation,
            conv.output,
        )
    )
    starts = (index * stride - padding for index in range(outputs))
    return sum(0 <= start + tap * dilation < size for start in starts for tap in range(taps))
