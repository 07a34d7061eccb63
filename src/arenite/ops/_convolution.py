"""The geometry and arithmetic that convolutions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arenite.fixedpoint import (
    multiply_by_quantized_multiplier,
    multiply_by_quantized_multiplier_int64,
    wrap_int32,
)
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import window_output_size, window_padding


@dataclass(frozen=True)
class Window:
    """A 2-D sliding window; every pair is ``(height, width)``.

    ``padding`` counts the elements before the first; behind the last there are as many
    as the window needs.
    """

    output_size: tuple[int, int]
    filter_size: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]


def window_of(
    context: Context, options: Any, input_shape: tuple[int, ...], filter_size: tuple[int, ...]
) -> Window:
    """The window of a convolution or pooling, from its options and an NHWC shape."""
    strides = (options.stride_h, options.stride_w)
    dilations = (
        getattr(options, "dilation_h_factor", 1),
        getattr(options, "dilation_w_factor", 1),
    )
    if min(*strides, *dilations, *filter_size) < 1:
        context.report_error(
            f"strides, dilations and filter sizes must be at least 1, got strides {strides}, "
            f"dilations {dilations}, filter {tuple(filter_size)}"
        )
    axes = list(zip(input_shape[1:3], filter_size, strides, dilations, strict=True))
    out = [window_output_size(options.padding, n, k, s, d) for n, k, s, d in axes]
    if min(out) < 1:
        context.report_error(
            f"a filter of {tuple(filter_size)} does not fit an input of {input_shape[1:3]}"
        )
    pads = [window_padding(s, d, n, k, o) for (n, k, s, d), o in zip(axes, out, strict=True)]
    return Window(
        (out[0], out[1]), (filter_size[0], filter_size[1]), strides, dilations, (pads[0], pads[1])
    )


def padded(window: Window, x: Array, offset: int) -> Array:
    """``x + offset`` as float64 in a zero border wide enough for every window."""
    (oh, ow), (kh, kw) = window.output_size, window.filter_size
    (sh, sw), (dh, dw), (top, left) = window.stride, window.dilation, window.padding
    n, h, w, channels = x.shape
    height = max((oh - 1) * sh + (kh - 1) * dh + 1, top + h)
    width = max((ow - 1) * sw + (kw - 1) * dw + 1, left + w)
    if (height, width) == (h, w):
        return np.add(x, offset, dtype=np.float64)
    border = np.zeros((n, height, width, channels), np.float64)
    np.add(x, offset, out=border[:, top : top + h, left : left + w], dtype=np.float64)
    return border


def windows(window: Window, border: Array) -> Array:
    """All windows of a padded NHWC array: a view ``(n, oh, ow, kh, kw, c)``."""
    sn, sh, sw, sc = border.strides
    shape = (border.shape[0], *window.output_size, *window.filter_size, border.shape[3])
    strides = (
        sn,
        sh * window.stride[0],
        sw * window.stride[1],
        sh * window.dilation[0],
        sw * window.dilation[1],
        sc,
    )
    return np.lib.stride_tricks.as_strided(border, shape, strides, writeable=False)


def im2col(window: Window, x: Array, offset: int) -> Array:
    """One row of ``kh * kw * c`` float64 values per output position."""
    view = windows(window, padded(window, x, offset))
    return view.reshape(-1, view.shape[3] * view.shape[4] * view.shape[5])


def float_matrix(node: Node, weights: Array, groups: int) -> Array:
    """OHWI weights as float64 ``(groups, kh * kw * c, filters)``; constants are kept."""
    kept: Array | None = node.host.get("matrices")
    if kept is not None:
        return kept
    matrices = np.ascontiguousarray(
        weights.reshape(groups, weights.shape[0] // groups, -1).transpose(0, 2, 1), np.float64
    )
    if not weights.flags.writeable:
        node.host["matrices"] = matrices
    return matrices


class ChannelParams(Protocol):
    """The part of a parameter record that requantisation needs."""

    @property
    def multiplier(self) -> Array: ...
    @property
    def shift(self) -> Array: ...
    @property
    def output_offset(self) -> int: ...
    @property
    def activation_min(self) -> float: ...
    @property
    def activation_max(self) -> float: ...
    @property
    def accumulates_64_bits(self) -> bool: ...


def requantize_channels(params: ChannelParams, acc: Array, channels: slice) -> Array:
    """Accumulators (exact floats, channels last) to clamped output values."""
    multiplier, shift = params.multiplier[channels], params.shift[channels]
    exact = acc.astype(np.int64)
    if params.accumulates_64_bits:
        scaled = multiply_by_quantized_multiplier_int64(exact, multiplier, shift)
    else:
        scaled = multiply_by_quantized_multiplier(wrap_int32(exact), multiplier, shift)
    scaled += params.output_offset
    return np.clip(scaled, int(params.activation_min), int(params.activation_max))


def hybrid_refused(node: NodeView) -> bool:
    """Weights are integers exactly where activations are: TFLM runs no hybrid models.

    Convert again with full integer quantisation (give the converter a
    representative_dataset), or with no quantisation at all.
    """
    activations, weights = node.input(0).type, node.input(1).type
    if activations is TensorType.FLOAT32:
        return weights is TensorType.FLOAT32
    if activations is TensorType.INT16:
        return weights is TensorType.INT8
    return weights in (TensorType.INT8, TensorType.INT4)
