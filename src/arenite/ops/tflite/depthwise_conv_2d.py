"""DEPTHWISE_CONV_2D: a 2-D convolution of every channel by itself.

Each input channel gives ``depth_multiplier`` output channels, which lie next to each
other. Facts: TFLM ``micro/kernels/depthwise_conv_common.cc``,
``reference/depthwiseconv_float.h`` and ``reference/integer_ops/depthwise_conv.h``.
TFLM's package ends the process where input 2 is marked as absent; here that is no bias.

Undefined in TFLM: weights with a zero point. They are computed with as if it were 0, with a
warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.fast_init import quick
from arenite.model.types import INT4, INT8, INT64
from arenite.ops import Array, Bias, Context, Node, Registration, Scheme, Struct, Traits, Weights
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.overlap import Clearance
from arenite.ops.shared import convolution as conv
from arenite.ops.shared.cases import convolution_cases
from arenite.ops.shared.requantize import tile
from arenite.ops.shared.window import Border, Window, axes_of, window_of
from arenite.ops.shared.window_overlap import channel_by_channel, window_over


class DepthwiseConv2DOptions(OptionsTable, union=2):
    """``table DepthwiseConv2DOptions``."""

    padding: int = slot(0, "int8")
    stride_w: int = slot(1, "int32")
    stride_h: int = slot(2, "int32")
    depth_multiplier: int = slot(3, "int32")
    fused_activation_function: int = slot(4, "int8")
    dilation_w_factor: int = slot(5, "int32", 1)
    dilation_h_factor: int = slot(6, "int32", 1)


@quick
@dataclass(frozen=True)
class DepthwiseConv2DParams(conv.ConvolutionParams):
    """The common parameters, and the geometry."""

    window: Window
    depth_multiplier: int
    filter_scratch: int


BUILTIN_DATA = Struct(
    "TfLiteDepthwiseConvParams", ("enum", "int", "int", "int", "enum") + ("int",) * 2
)


def channels_multiply(node: c.NodeView) -> bool:
    """The filter has shape (1, height, width, input channels * depth_multiplier)."""
    depth, filter_shape = node.input(0).shape[3], node.input(1).shape
    multiplied = depth * node.options.depth_multiplier
    return filter_shape[0] == 1 and filter_shape[3] == multiplied > 0


def prepare(context: Context, node: Node) -> DepthwiseConv2DParams:
    """Geometry, output shape, requantisation; scratch for int4 weights."""
    options: DepthwiseConv2DOptions = node.options
    output, inp, weights = conv.tensors_of(context, node)
    channels = weights.shape[3]
    context.reserve_persistent_buffer(4 * channels, "per-channel multipliers")
    context.reserve_persistent_buffer(4 * channels, "per-channel shifts")
    filter_scratch = -1
    if weights.type is INT4:
        filter_scratch = context.request_scratch_buffer_in_arena(weights.size, "unpacked weights")
    window = window_of(context, options, inp.shape, weights.shape[1:3])
    context.resize_tensor(output.index, (inp.shape[0], *window.output_size, channels), "refused")
    conv.ask_again(context, node)
    multiplier, shift = util.convolution_multipliers(context, inp, weights, output, channels)
    low, high = util.activation_range_of(context, options.fused_activation_function, output)
    return DepthwiseConv2DParams(
        input_offset=-inp.zero_point if inp.type is INT8 else 0,
        output_offset=output.zero_point if inp.type is INT8 else 0,
        multiplier=multiplier,
        shift=shift,
        activation_min=low,
        activation_max=high,
        accumulates_64_bits=conv.accumulates_64_bits(context, inp.type, None, shift),
        window=window,
        depth_multiplier=options.depth_multiplier,
        filter_scratch=filter_scratch,
    )


class DepthwiseConvolution:
    """``out = activation(requantise(sum over taps of (x at the tap) * weight + bias))``.

    The sum is exact, in the narrowest float type that holds it. The columns lie in one
    phase per stride, so that the pixels which a tap meets are neighbours: a row of
    pixels times a row of repeated weights.
    """

    def __init__(
        self,
        params: DepthwiseConv2DParams,
        x: Array,
        weights: Array,
        bias: Array | None,
        out: Array,
    ) -> None:
        n, height, width, channels = out.shape
        rows, columns = axes = axes_of(params.window, x.shape[1:3])
        taps = weights[0, rows.taps, columns.taps]
        offset = params.input_offset
        per_channel = taps.reshape(-1, channels).T
        sums = conv.Sums.of(per_channel, bias, conv.largest_raw(x, offset), offset)
        dtype, self._finish = conv.finish_of(params, sums, out, n * height * width)
        self._border = Border(
            x.shape,
            axes,
            dtype,
            -offset,
            phases=columns.stride,
            repeat=params.depth_multiplier,
        )
        repeat = tile(width, channels)
        shape = (n, height, width // repeat, repeat * channels)
        self._acc = np.empty(shape, dtype)
        self._term = np.empty(shape, dtype)
        self._taps = [
            (self._border.tap(i, j).reshape(shape), np.tile(taps[i, j].astype(dtype), repeat))
            for i in range(rows.count)
            for j in range(columns.count)
        ]

    def __call__(self, x: Array, out: Array) -> None:
        """Convolve ``x`` (n, h, w, c) to ``out``."""
        self._border.fill(x)
        acc, term = self._acc, self._term
        pixels, weights = self._taps[0]
        np.multiply(pixels, weights, out=acc)
        for pixels, weights in self._taps[1:]:
            np.multiply(pixels, weights, out=term)
            np.add(acc, term, out=acc)
        self._finish(acc, out)


def depthwise_convolution(
    params: DepthwiseConv2DParams, x: Array, weights: Array, bias: Array | None, out: Array
) -> conv.Kernel:
    """The kernel for these weights."""
    if not conv.are_finite(weights):
        return conv.TapByTap(params, weights.transpose(3, 1, 2, 0), bias, x.shape[3])
    return DepthwiseConvolution(params, x, weights, bias, out)


def overlap(view: c.NodeView, position: int) -> Clearance | None:
    """Every output pixel reads its window channel by channel."""
    if position != 0:
        return None
    _, *taps, channels = view.input(1).shape
    return channel_by_channel(window_over(view, tuple(taps), channels), view)


REGISTRATION = Registration(
    init=util.allocate_struct(conv.OP_DATA),
    prepare=prepare,
    invoke=conv.invoke_with(depthwise_convolution),
    overlap=overlap,
    options=DepthwiseConv2DOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        *conv.CONSTRAINTS,
        c.rank(0, 4),
        c.rank(1, 4),
        channels_multiply,
        conv.bias_types(INT64),
        conv.bias_per_channel(3),
    ),
)

TRAITS = Traits(
    values="sums",
    channels="multiplied",
    fuses_clamp=True,
    drawn="conv",
    compiled="TFLM ignores a fused TANH and zero points of weights, Vela does not",
    takes_decoded=True,
)

SCHEME = Scheme(weights={1: Weights(3, (INT8, INT4), columns=3)}, biases={2: Bias(0, 1)})

CASES = convolution_cases("DEPTHWISE_CONV_2D", DepthwiseConv2DOptions, is_depthwise=True)
