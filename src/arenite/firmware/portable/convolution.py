"""CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int8, as plain loops.

Sums wrap at 32 bits, as TFLM's do on every processor it runs on. Facts: TFLM
``reference/integer_ops/conv.h``, ``depthwise_conv.h`` and ``fully_connected.h``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arenite.firmware.layers import Layer
from arenite.firmware.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.text import fill, indented
from arenite.firmware.work import Constant, Routine, Work
from arenite.model import TensorType

_PARAMETERS = (
    "const int8_t *x",
    "const int8_t *weights",
    "const int32_t *bias",
    "const int32_t *multiplier",
    "const int8_t *shift",
    "int8_t *y",
)

#: What becomes of a channel's sum.
_FINISH = """\
const int32_t scaled = ar_rescale(sum, multiplier[n], shift[n]);
*y++ = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);"""

#: Every filter at every position; of one tap of its window the products are open.
_WINDOWS = """\
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      for (int32_t n = 0; n < $filters; ++n) {
        int32_t sum = bias[n];
        for (int32_t ky = 0; ky < $kernel_h; ++ky) {
          const int32_t iy = oy * $stride_h + ky * $dilation_h - $top;
          if (iy < 0 || iy >= $in_h) continue;
          for (int32_t kx = 0; kx < $kernel_w; ++kx) {
            const int32_t ix = ox * $stride_w + kx * $dilation_w - $left;
            if (ix < 0 || ix >= $in_w) continue;
%s
          }
        }
$finish
      }
    }
  }
}"""

_CONV = (
    _WINDOWS
    % """\
            const int8_t *pixel = x + (iy * $in_w + ix) * $in_c + n / $group_filters * $depth;
            const int8_t *w = weights + ((n * $kernel_h + ky) * $kernel_w + kx) * $depth;
            for (int32_t c = 0; c < $depth; ++c)
              sum = ar_add(sum, (pixel[c] + $input_offset) * w[c]);"""
)

_DEPTHWISE = (
    _WINDOWS
    % """\
            const int32_t value = x[(iy * $in_w + ix) * $in_c + n / $multiple];
            const int32_t w = weights[(ky * $kernel_w + kx) * $filters + n];
            sum = ar_add(sum, (value + $input_offset) * w);"""
)

_FULLY_CONNECTED = """\
for (int32_t b = 0; b < $images; ++b, x += $depth) {
  for (int32_t n = 0; n < $filters; ++n) {
    const int8_t *w = weights + n * $depth;
    int32_t sum = bias[n];
    for (int32_t c = 0; c < $depth; ++c)
      sum = ar_add(sum, (x[c] + $input_offset) * (w[c] + $filter_offset));
$finish
  }
}"""


def conv_2d(layer: Layer) -> Work:
    """A convolution, with groups and dilation."""
    weights = _weights(layer)
    filters, _, _, depth = weights.shape
    values = {
        **_geometry(layer),
        "filters": filters,
        "depth": depth,
        "group_filters": filters // layer.params.groups,
    }
    return _work(layer, "conv_2d", _CONV, values, finish_by=8)


def depthwise_conv_2d(layer: Layer) -> Work:
    """A convolution of every channel by itself, with depth multiplier and dilation."""
    weights = _weights(layer)
    values = {
        **_geometry(layer),
        "filters": weights.shape[3],
        "multiple": layer.params.depth_multiplier,
    }
    return _work(layer, "depthwise_conv_2d", _DEPTHWISE, values, finish_by=8)


def fully_connected(layer: Layer) -> Work:
    """A matrix product per row of the input."""
    weights = _weights(layer)
    filters, depth = weights.shape[-2:]
    values = {
        "images": layer.input(0).size // depth,
        "filters": filters,
        "depth": depth,
        "filter_offset": layer.params.filter_offset,
    }
    return _work(layer, "fully_connected", _FULLY_CONNECTED, values, finish_by=4)


def bias_of(layer: Layer, channels: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The bias as int32 per channel, zeros where there is none."""
    bias = layer.inputs[2] if len(layer.inputs) > 2 else None
    if bias is None:
        return np.zeros(channels, np.int32)
    return constant_of(bias, "bias").reshape(-1).astype(np.int32)


def _weights(layer: Layer) -> np.ndarray[Any, Any]:
    require_types(layer, TensorType.INT8, inputs=2)
    require_elements(layer)
    return constant_of(layer.input(1), "weights")


def _geometry(layer: Layer) -> dict[str, int]:
    """The names of a window's measures in the templates."""
    window, (images, height, width, channels) = layer.params.window, layer.input(0).shape
    return {
        "images": images,
        "image": height * width * channels,
        "in_h": height,
        "in_w": width,
        "in_c": channels,
        "out_h": window.output_size[0],
        "out_w": window.output_size[1],
        "kernel_h": window.filter_size[0],
        "kernel_w": window.filter_size[1],
        "stride_h": window.stride[0],
        "stride_w": window.stride[1],
        "dilation_h": window.dilation[0],
        "dilation_w": window.dilation[1],
        "top": window.padding[0],
        "left": window.padding[1],
    }


def _work(layer: Layer, stem: str, body: str, values: dict[str, int], finish_by: int) -> Work:
    params, channels = layer.params, values["filters"]
    finish = fill(
        _FINISH,
        output_offset=params.output_offset,
        low=int(params.activation_min),
        high=int(params.activation_max),
    )
    text = fill(
        body, **values, input_offset=params.input_offset, finish=indented(finish, finish_by)
    )
    constants = (
        Constant("weights", constant_of(layer.input(1), "weights")),
        Constant("bias", bias_of(layer, channels)),
        Constant("multiplier", per_channel(params.multiplier, channels).astype(np.int32)),
        Constant("shift", per_channel(params.shift, channels).astype(np.int8)),
    )
    return Work(
        Routine(stem, _PARAMETERS, text, about=str(layer)),
        (layer.input(0), *constants, layer.output),
    )


def per_channel(values: Any, channels: int) -> np.ndarray[Any, Any]:
    """One value per channel, where there may be only one for all."""
    return np.ascontiguousarray(np.broadcast_to(np.asarray(values).reshape(-1), (channels,)))


KERNELS = {
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
}
