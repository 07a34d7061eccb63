"""A depthwise convolution of int4 weights, with the weights that CMSIS-NN takes.

:mod:`arenite.libraries.cmsis_nn.decisions.nibbles` says which those are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.libraries.cmsis_nn.decisions.nibbles import weights_taken
from arenite.libraries.shapes import ConvShape
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, wrap_int32
from arenite.ops.context import Array
from arenite.ops.shared.window import Window
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams


@dataclass(frozen=True)
class NibbleParams:
    """The reference's parameters, and the weights' places.

    ``kinds`` has the kind of window of every output position, ``places`` for every kind, tap and
    output channel the place of a weight, or -1 for a tap beside the image.
    """

    conv: DepthwiseConv2DParams
    kinds: Array
    places: Array


def nibble_params(
    conv: ConvShape, params: DepthwiseConv2DParams
) -> DepthwiseConv2DParams | NibbleParams:
    """The reference's parameters where each tap has its own weights."""
    if conv.input.c % 2 == 0:
        return params
    taken = weights_taken(conv)
    taps = np.where(
        taken.places < 0, -1, np.arange(taken.places[0].size).reshape(taken.places[0].shape)
    )
    if (taken.places == taps).all():
        return params
    return NibbleParams(params, taken.kinds.reshape(-1), taken.places.reshape(-1))


class NibbleConvolution:
    """``out = activation(requantise(sum over taps of (x at the tap) * (weight taken) + bias))``."""

    def __init__(
        self, params: NibbleParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        self._params = params
        _, height, width, channels = out.shape
        places = params.places.reshape(-1, weights[0, :, :, 0].size, channels)
        taken = np.where(places < 0, 0, weights.reshape(-1)[places]).astype(np.int64)
        self._taken = taken[params.kinds.reshape(height, width)]
        self._bias = 0 if bias is None else bias.reshape(-1).astype(np.int64)

    def __call__(self, x: Array, out: Array) -> None:
        """Convolve ``x`` (n, h, w, c) to ``out``."""
        conv = self._params.conv
        moved = np.repeat(x.astype(np.int64) + conv.input_offset, conv.depth_multiplier, axis=3)
        sums = np.zeros(out.shape, np.int64) + self._bias
        for tap, (i, j) in enumerate(np.ndindex(conv.window.filter_size)):
            rows, columns = _pixels(conv.window, (i, j), x.shape[1:3])
            pixels = moved[:, rows[:, None], columns]
            sums += pixels * self._taken[:, :, tap]
        scaled = multiply_by_quantized_multiplier(wrap_int32(sums), conv.multiplier, conv.shift)
        moved = wrap_int32(scaled + conv.output_offset)
        out[...] = np.clip(moved, int(conv.activation_min), int(conv.activation_max))


def _pixels(window: Window, tap: tuple[int, int], size: tuple[int, int]) -> list[Array]:
    """The row and the column that a tap meets at every position; any where it meets none."""
    starts = [
        np.arange(window.output_size[axis]) * window.stride[axis] - window.padding[axis]
        for axis in (0, 1)
    ]
    return [
        np.clip(starts[axis] + tap[axis] * window.dilation[axis], 0, size[axis] - 1)
        for axis in (0, 1)
    ]
