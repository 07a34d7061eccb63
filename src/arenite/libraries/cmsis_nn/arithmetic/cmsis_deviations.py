"""A convolution of which vectors compute some positions from other values, or round otherwise.

- ``arm_convolve_1_x_n_s8.c`` copies a line's right end in front of padding. It takes for granted
  that the first window there lacks one pixel, and that the padding is as long as all windows are.
- ``arm_convolve_1_x_n_s4.c`` and ``arm_nn_mat_mul_core_1x_s4.c`` find the first weight of a filter,
  and of the part of it that meets the line, by halving its place: the low one of two in a byte.
- ``arm_requantize_mve_pred`` (``Include/arm_nnsupportfunctions.h``) rounds twice, halves up, in
  builds that round once. Of int4 convolutions two or three positions come to it that are left over
  of fours.

Facts: CMSIS-NN (July 2026).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.libraries.cmsis_nn.decisions.line import (
    first_weights,
    left_over,
    line_sources,
    seen_by_windows,
)
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape
from arenite.numeric import fixedpoint as fp
from arenite.numeric.fixedpoint import Int64Array
from arenite.ops.context import Array
from arenite.ops.tflite.conv_2d import Conv2DParams, convolution

#: The low half of a byte may be so far in front of the weight that is meant.
_IN_FRONT = 2


@dataclass(frozen=True)
class RedoneParams:
    """The reference's parameters, and what is different at some positions.

    ``positions`` are output positions, counted through all images. For each of them ``sources`` has
    the pixel that each tap sees, counted through all images, or -1 for none; ``starts`` the place
    of each filter's first weight; ``rounds_half_up`` whether results are rounded twice, halves up.
    """

    conv: Conv2DParams
    positions: Array
    sources: Array
    starts: Array
    rounds_half_up: Array


def redone_line(conv: ConvShape, params: Conv2DParams) -> Conv2DParams | RedoneParams:
    """int8 along a line: the reference's parameters where vectors see the same pixels."""
    theirs = line_sources(conv)
    assert theirs is not None, "a line whose windows see behind it is undefined"
    different = np.flatnonzero((theirs != seen_by_windows(conv)).any(axis=1))
    positions = (np.arange(conv.input.n)[:, None] * conv.output.w + different).reshape(-1)
    sources = theirs[positions % conv.output.w]
    images = positions[:, None] // conv.output.w
    sources = np.where(sources < 0, -1, sources + images * conv.input.w)
    return _redone(conv, params, positions, sources)


def redone_int4(conv: ConvShape, params: Conv2DParams, path: Path) -> Conv2DParams | RedoneParams:
    """int4: the reference's parameters where vectors take the same weights and round as often."""
    twice = left_over(conv, path) if fp.rounds_once(params.shift) else np.empty(0, np.intp)
    places = None
    positions = twice
    if path.function == "arm_convolve_1_x_n_s4":
        places = np.tile(first_weights(conv), (conv.input.n, 1))
        different = np.flatnonzero((places != _own_starts(conv)).any(axis=1))
        positions = np.union1d(twice, different)
    return _redone(
        conv,
        params,
        positions,
        _seen(conv, positions),
        starts=None if places is None else places[positions],
        rounds_half_up=np.isin(positions, twice),
    )


def _redone(
    conv: ConvShape,
    params: Conv2DParams,
    positions: Array,
    sources: Array,
    *,
    starts: Array | None = None,
    rounds_half_up: Array | None = None,
) -> Conv2DParams | RedoneParams:
    if not len(positions):
        return params
    if starts is None:
        starts = np.broadcast_to(_own_starts(conv), (len(positions), conv.output.c))
    if rounds_half_up is None:
        rounds_half_up = np.zeros(len(positions))
    arrays = (positions, sources, starts, rounds_half_up)
    return RedoneParams(params, *(array.reshape(-1).astype(np.int32) for array in arrays))


def _own_starts(conv: ConvShape) -> Array:
    taken: Array = np.arange(conv.output.c) * (conv.filter.h * conv.filter.w * conv.filter.c)
    return taken


def _seen(conv: ConvShape, positions: Array) -> Array:
    """``(positions, taps)``: pixels of windows, counted through all images; -1 beside them."""
    images, places = np.divmod(positions[:, None], conv.output.h * conv.output.w)
    rows, columns = np.divmod(places, conv.output.w)
    i, j = np.divmod(np.arange(conv.filter.h * conv.filter.w), conv.filter.w)
    y = rows * conv.stride.h - conv.padding.h + i * conv.dilation.h
    x = columns * conv.stride.w - conv.padding.w + j * conv.dilation.w
    inside = (y >= 0) & (y < conv.input.h) & (x >= 0) & (x < conv.input.w)
    seen: Array = np.where(inside, (images * conv.input.h + y) * conv.input.w + x, -1)
    return seen


class RedoneConvolution:
    """The reference's convolution, and some positions once more."""

    def __init__(
        self, params: RedoneParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        self._params = params
        self._whole = convolution(params.conv, x, weights, bias, out)
        self._weights = np.zeros(weights.size + _IN_FRONT, np.int64)
        self._weights[_IN_FRONT:] = weights.reshape(-1)
        self._columns = np.arange(weights[0].size) + _IN_FRONT
        self._bias = np.zeros(1, np.int64) if bias is None else bias.reshape(-1).astype(np.int64)

    def __call__(self, x: Array, out: Array) -> None:
        """Convolve ``x`` (n, h, w, c) to ``out``."""
        params, conv = self._params, self._params.conv
        sources = params.sources.reshape(len(params.positions), -1)
        rows = x.reshape(-1, x.shape[3])[sources].astype(np.int64) + conv.input_offset
        rows[sources < 0] = 0
        starts = params.starts.reshape(len(rows), -1, 1)
        sums = np.array(
            [
                self._weights[places + self._columns] @ row.reshape(-1)
                for row, places in zip(rows, starts, strict=True)
            ]
        )
        sums = fp.wrap_int32(sums + self._bias)
        self._whole(x, out)
        scaled = fp.multiply_by_quantized_multiplier(sums, conv.multiplier, conv.shift)
        twice = params.rounds_half_up.astype(bool)
        if twice.any():
            scaled[twice] = round_twice_half_up(sums[twice], conv.multiplier, conv.shift)
        moved = fp.wrap_int32(scaled + conv.output_offset)
        low, high = int(conv.activation_min), int(conv.activation_max)
        out.reshape(-1, out.shape[3])[params.positions] = np.clip(moved, low, high)


def round_twice_half_up(sums: Int64Array, multiplier: Array, shift: Array) -> Int64Array:
    """``arm_requantize_mve_pred`` with ``CMSIS_NN_USE_SINGLE_ROUNDING``: halves go up, twice."""
    right = np.maximum(1, -fp.bare_shift(shift))
    moved = fp.wrap_int32(sums << (fp.bare_shift(shift) + right))
    high = np.minimum((moved * multiplier.astype(np.int64) + (1 << 30)) >> 31, fp.INT32_MAX)
    rounded: Int64Array = (high + (np.int64(1) << (right - 1))) >> right
    return rounded
