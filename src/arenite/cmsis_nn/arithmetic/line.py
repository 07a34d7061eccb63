"""A convolution along a line with vectors, at the positions where it sees other pixels.

``arm_convolve_1_x_n_s8.c`` copies the line's right end in front of padding. It takes for granted
that the first window there lacks one pixel, and that the padding is as long as all windows are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.cmsis_nn.decisions.line import line_sources, seen_by_windows
from arenite.cmsis_nn.decisions.shapes import ConvShape
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, wrap_int32
from arenite.ops.context import Array
from arenite.ops.tflite.conv_2d import Conv2DParams, convolution


@dataclass(frozen=True)
class LineParams:
    """The reference's parameters, and what is different.

    ``sources`` has a pixel, or -1 for padding, for every tap of each of ``positions``.
    """

    conv: Conv2DParams
    positions: Array
    sources: Array


def line_params(conv: ConvShape, params: Conv2DParams) -> Conv2DParams | LineParams:
    """The reference's parameters where vectors see the same pixels."""
    theirs = line_sources(conv)
    assert theirs is not None, "a line whose windows see behind it is undefined"
    own = seen_by_windows(conv)
    positions = np.flatnonzero((theirs != own).any(axis=1)).astype(np.int32)
    if not len(positions):
        return params
    return LineParams(params, positions, theirs[positions].reshape(-1).astype(np.int32))


class LineConvolution:
    """The reference's convolution, and some positions once more."""

    def __init__(
        self, params: LineParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        self._params = params
        self._whole = convolution(params.conv, x, weights, bias, out)
        self._weights = weights.reshape(len(weights), -1).astype(np.int64)
        self._bias = np.zeros(1, np.int64) if bias is None else bias.reshape(-1).astype(np.int64)

    def __call__(self, x: Array, out: Array) -> None:
        """Convolve ``x`` (n, 1, w, c) to ``out``."""
        self._whole(x, out)
        params, conv = self._params, self._params.conv
        sources = params.sources.reshape(len(params.positions), -1)
        pixels = x[:, 0, sources].astype(np.int64) + conv.input_offset
        pixels[:, sources < 0] = 0
        sums = pixels.reshape(*pixels.shape[:2], -1) @ self._weights.T + self._bias
        scaled = multiply_by_quantized_multiplier(wrap_int32(sums), conv.multiplier, conv.shift)
        scaled += conv.output_offset
        out[:, 0, params.positions] = np.clip(
            scaled, int(conv.activation_min), int(conv.activation_max)
        )
