"""The range of the sums of convolutions and fully connected layers, and what follows.

Interval arithmetic over the integers that the kernels add. A product of a weight and an input
``x + input_offset`` lies between its values at the ends of ``x``; a tap that may lie beside the
image meets the zero point there, which makes its product 0. Sums of ends are ends of sums, exactly
so for taps that never meet padding, since every input takes its ends independently.

Requantisation rises with its accumulator while nothing in it wraps, so the ends of the outputs are
the outputs of the ends. Channels that may wrap get all that the activation lets through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from arenite.numeric.fixedpoint import INT32_MAX, INT32_MIN, bare_shift
from arenite.ops.context import Array
from arenite.ops.shared.convolution import ConvolutionParams
from arenite.ops.shared.requantize import OutputStage
from arenite.ops.shared.window import Axis, Window, axes_of
from arenite.optimize._intervals import Interval

#: Sums of 64 bits have to stay below this: ``multiply_by_quantized_multiplier_int64``.
_WIDE_SUM = 2.0**47
#: CMSIS-NN keeps 31 bits of what follows them.
_WIDE_RESULT = 2.0**30


#: Weights that are looked at together: as int64 they take eight times their memory.
_ELEMENTS = 1 << 20
#: ``multiply(sums of weights, ends of inputs)``: one number per filter.
Multiply = Callable[[Array, Array], Array]


class Taps(NamedTuple):
    """The taps of a filter, ``(rows, columns)``, that meet the image everywhere, or somewhere."""

    always: Array
    sometimes: Array


#: The taps of a fully connected layer.
ONE_TAP = Taps(np.ones((1, 1), bool), np.zeros((1, 1), bool))


def taps_of(window: Window, size: tuple[int, ...]) -> Taps:
    """The taps of a window over images of ``size`` (height, width)."""
    axes = axes_of(window, size)
    (row_all, row_some), (column_all, column_some) = map(
        _met, axes, (window.filter_size[0], window.filter_size[1])
    )
    always = row_all[:, None] & column_all
    return Taps(always, (row_some[:, None] & column_some) & ~always)


def is_odd_line(window: Window, size: tuple[int, ...]) -> bool:
    """Whether the number of input channels may decide on CMSIS-NN's function, and that on bits.

    ``arm_convolve_1_x_n_s8`` is for lines whose steps are whole words, and with vectors its taps
    see other pixels, or none, at some lines' right ends, as in ``libraries/cmsis_nn/arithmetic/``.
    """
    is_line = size[0] == 1 and window.filter_size[0] == 1 and window.filter_size[1] > 1
    return is_line and (window.stride[1] > 1 or window.filter_size[1] > size[1])


def _met(axis: Axis, taps: int) -> tuple[Array, Array]:
    """Whether a tap meets the image at all positions, and at any, for every tap along an axis."""
    always, ever = np.zeros(taps, bool), np.zeros(taps, bool)
    for index in range(axis.count):
        positions, _ = axis.inside_of(index)
        count = positions.stop - positions.start
        always[axis.taps.start + index] = count == axis.outputs
        ever[axis.taps.start + index] = count > 0
    return always, ever


class Products(NamedTuple):
    """Sums of weights by sign, each ``(groups, filters, inputs)`` or, depthwise, ``(filters,)``."""

    positive: Array
    negative: Array


def signed_sums(weights: Array, taps: Array) -> Products:
    """Over the chosen taps: axes 1 and 2 of ``(filters, rows, columns, inputs)``."""
    chosen = weights[:, taps].astype(np.int64)
    return Products(np.maximum(chosen, 0).sum(axis=1), np.minimum(chosen, 0).sum(axis=1))


def dense_sums(weights: Array, taps: Taps, groups: int, inputs: Interval) -> Interval:
    """Sums of a convolution without its bias.

    ``weights`` are ``(filters, rows, columns, inputs of a group)``; ``inputs`` have their offset.
    """
    if groups == 1:
        step = max(1, _ELEMENTS // max(weights[0].size, 1))
        blocks = (weights[start : start + step] for start in range(0, len(weights), step))
        found = [_sums(block, taps, inputs, np.matmul) for block in blocks]
        low, high = (np.concatenate(ends) for ends in zip(*found, strict=True))
        return Interval(low, high)

    def multiply(sums: Array, ends: Array) -> Array:
        grouped = sums.reshape(groups, -1, sums.shape[-1])
        products = np.einsum("gfc,gc->gf", grouped, ends.reshape(groups, -1))
        return np.asarray(products).reshape(-1)

    return _sums(weights, taps, inputs, multiply)


def depthwise_sums(weights: Array, taps: Taps, inputs: Interval) -> Interval:
    """Sums of a depthwise convolution without its bias; ``weights`` as ``(1, rows, columns, n)``.

    ``inputs`` have their offset, and as many channels as there are outputs.
    """

    def multiply(sums: Array, ends: Array) -> Array:
        return np.asarray(sums[:, 0] * ends)

    return _sums(weights.transpose(3, 1, 2, 0), taps, inputs, multiply)


def _sums(weights: Array, taps: Taps, inputs: Interval, multiply: Multiply) -> Interval:
    low = high = np.zeros(len(weights), np.int64)
    beside = Interval(np.minimum(inputs.low, 0), np.maximum(inputs.high, 0))
    for chosen, ends in ((taps.always, inputs), (taps.sometimes, beside)):
        if not chosen.any():
            continue
        positive, negative = signed_sums(weights, chosen)
        low = low + multiply(positive, ends.low) + multiply(negative, ends.high)
        high = high + multiply(positive, ends.high) + multiply(negative, ends.low)
    return Interval(low, high)


def outputs_of(
    params: ConvolutionParams, sums: Interval, dtype: np.dtype[np.signedinteger]
) -> Interval:
    """The ends of the outputs whose sums, bias included, have these ends.

    Sums of int16 are taken as 64 bits and as 32: TFLM's reference and CMSIS-NN do not agree.
    """
    found = _outputs(params, sums, dtype, params.accumulates_64_bits)
    if dtype != np.int16:
        return found
    return found.joined(_outputs(params, sums, dtype, not params.accumulates_64_bits))


def _outputs(
    params: ConvolutionParams, sums: Interval, dtype: np.dtype[np.signedinteger], is_wide: bool
) -> Interval:
    low, high = int(params.activation_min), int(params.activation_max)
    type_range = np.iinfo(dtype)
    count = len(sums.low)
    if not type_range.min <= low <= high <= type_range.max:
        return Interval(np.full(count, type_range.min), np.full(count, type_range.max))
    stage = OutputStage(
        multiplier=params.multiplier,
        shift=params.shift,
        bias=np.zeros(count, np.int64),
        zero_point=params.output_offset,
        low=low,
        high=high,
        wide=is_wide,
    )
    safe = cannot_wrap(stage, sums)
    ends = Interval(*(np.where(safe, end, 0) for end in sums))
    return Interval(
        np.where(safe, stage.reference(ends.low), low),
        np.where(safe, stage.reference(ends.high), high),
    )


def cannot_wrap(stage: OutputStage, sums: Interval) -> Array:
    """Channels for which every step of the requantisation stays within its bits."""
    shift = bare_shift(stage.shift)
    largest = np.maximum(np.abs(sums.low), np.abs(sums.high)).astype(np.float64)
    scaled = largest * np.ldexp(np.abs(stage.multiplier.astype(np.float64)), shift - 31)
    result = scaled + abs(stage.zero_point) + 2
    if stage.wide:
        fits = (largest < _WIDE_SUM) & (shift < 15) & (result < _WIDE_RESULT)
    else:
        inside = (sums.low >= INT32_MIN) & (sums.high <= INT32_MAX)
        # A shift to the left comes first, and wraps too.
        fits = inside & (np.ldexp(largest, np.maximum(shift, 0)) < 2.0**31)
        fits &= result < 2.0**31
    return np.asarray(fits & (stage.multiplier >= 0))
