"""CMSIS-NN's matrix products for int8 convolution, two by two outputs at a time.

Axes that C loops over are axes of arrays here: the inner loop over columns is a loop, all
pairs of outputs go through it at once. Facts: CMSIS-NN
``Source/ConvolutionFunctions/arm_nn_mat_mult_kernel{,_row_offset}_s8_s16.c`` and
``Source/NNSupportFunctions/arm_nn_mat_mult_nt_t_s8.c``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from arenite.libraries.cmsis_nn.arithmetic import dsp
from arenite.libraries.cmsis_nn.arithmetic.dsp import Count, Register
from arenite.libraries.cmsis_nn.arithmetic.support import (
    Int8Array,
    Int16Array,
    arm_nn_read_q15x2,
    arm_nn_read_s8x4,
    arm_nn_requantize,
    read_and_pad_reordered,
)
from arenite.target import Target

Int32Array = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ChannelQuantization:
    """Offsets, the requantisation of every output channel, and the activation's bounds."""

    input_offset: int
    output_offset: int
    multiplier: Int32Array
    shift: Int32Array
    activation_min: int
    activation_max: int

    def of(self, channels: slice) -> ChannelQuantization:
        """The quantization of some of the channels."""
        multiplier, shift = self.multiplier[channels], self.shift[channels]
        return replace(self, multiplier=multiplier, shift=shift)

    def finish(self, acc: Register, channels: slice, count: Count) -> Int8Array:
        """Sums ``(..., channels)`` as outputs: requantised, offset, clamped."""
        multiplier, shift = self.multiplier[channels], self.shift[channels]
        return self.clamp(arm_nn_requantize(acc, multiplier, shift, count))

    def clamp(self, scaled: Register) -> Int8Array:
        """Requantised sums as outputs: offset, clamped."""
        moved = dsp.register(scaled.astype(np.int64) + self.output_offset)
        return np.clip(moved, self.activation_min, self.activation_max).astype(np.int8)


# -- rows in int16 ----------------------------------------------------------------------


def arm_nn_mat_mult_kernel_s8_s16(
    input_a: Int8Array,
    input_b: Int16Array,
    bias: Int32Array,
    quant: ChannelQuantization,
    channels: slice,
    *,
    target: Target,
    count: Count,
) -> Int8Array:
    """Two positions times all output channels, two channels at a time.

    Args:
        input_a: Weights ``(channels, columns)``.
        input_b: ``(calls, 2, columns or more)``: per call two rows of inputs plus offset, with
            DSP instructions in the order that ``arm_s8_to_s16_unordered_with_offset`` makes.
        bias: One per channel.
        quant: Of all channels.
        channels: Those of ``quant`` that the weights belong to.
        target: Decides on DSP instructions.
        count: See :mod:`arenite.libraries.cmsis_nn.arithmetic.dsp`.

    Returns:
        ``(calls, 2, channels)``.
    """
    paired = len(input_a) // 2 * 2
    sums = np.empty((len(input_b), 2, len(input_a)), np.int32)
    _pairs_of_channels(input_a[:paired], input_b, bias[:paired], sums, target=target, count=count)
    if paired < len(input_a):
        last = np.broadcast_to(input_a[-1], (len(input_b), input_a.shape[1]))
        positions = [input_b[:, 0], input_b[:, 1]]
        dots = dots_s8_s16(last, positions, bias[-1], target=target, count=count)
        sums[:, :, -1] = np.stack(dots, axis=1)
    return quant.finish(sums, channels, count)


def _pairs_of_channels(
    input_a: Int8Array,
    input_b: Int16Array,
    bias: Int32Array,
    sums: Int32Array,
    *,
    target: Target,
    count: Count,
) -> None:
    """Sums of products of pairs of channels with pairs of positions."""
    shape = (len(input_b), len(input_a) // 2)
    columns = input_a.shape[1]
    a0, a1 = (np.broadcast_to(input_a[i::2], (*shape, columns)) for i in (0, 1))
    ip_b0, ip_b1 = input_b[:, :1], input_b[:, 1:]
    ch_0_out_0 = ch_0_out_1 = np.broadcast_to(bias[0::2], shape)
    ch_1_out_0 = ch_1_out_1 = np.broadcast_to(bias[1::2], shape)
    whole = columns // 4 * 4 if target.instructions == "dsp" else 0
    for column in range(0, whole, 4):
        b0, b1 = arm_nn_read_q15x2(ip_b0, column), arm_nn_read_q15x2(ip_b1, column)
        a01, a02 = read_and_pad_reordered(a0, column, count)
        a11, a12 = read_and_pad_reordered(a1, column, count)
        ch_0_out_0 = dsp.smlad(a01, b0, ch_0_out_0, count)
        ch_0_out_1 = dsp.smlad(a01, b1, ch_0_out_1, count)
        ch_1_out_0 = dsp.smlad(a11, b0, ch_1_out_0, count)
        ch_1_out_1 = dsp.smlad(a11, b1, ch_1_out_1, count)
        b0, b1 = arm_nn_read_q15x2(ip_b0, column + 2), arm_nn_read_q15x2(ip_b1, column + 2)
        ch_0_out_0 = dsp.smlad(a02, b0, ch_0_out_0, count)
        ch_0_out_1 = dsp.smlad(a02, b1, ch_0_out_1, count)
        ch_1_out_0 = dsp.smlad(a12, b0, ch_1_out_0, count)
        ch_1_out_1 = dsp.smlad(a12, b1, ch_1_out_1, count)
    for column in range(whole, columns):
        value0, value1 = ip_b0[..., column], ip_b1[..., column]
        ch_0_out_0 = dsp.mla(a0[..., column], value0, ch_0_out_0, count)
        ch_0_out_1 = dsp.mla(a0[..., column], value1, ch_0_out_1, count)
        ch_1_out_0 = dsp.mla(a1[..., column], value0, ch_1_out_0, count)
        ch_1_out_1 = dsp.mla(a1[..., column], value1, ch_1_out_1, count)
    end = len(input_a)
    sums[:, 0, 0:end:2], sums[:, 1, 0:end:2] = ch_0_out_0, ch_0_out_1
    sums[:, 0, 1:end:2], sums[:, 1, 1:end:2] = ch_1_out_0, ch_1_out_1


def dots_s8_s16(
    a: Int8Array,
    positions: Sequence[Int16Array],
    bias: npt.ArrayLike,
    *,
    target: Target,
    count: Count,
) -> list[Register]:
    """The loop for what is left over: one channel at a time, with one position or two.

    Args:
        a: Weights ``(lanes, columns)``.
        positions: Inputs plus offset, ``(columns or more)`` or ``(lanes, columns or more)``.
        bias: One for all lanes, or one per lane.
        target: Decides on DSP instructions.
        count: See :mod:`arenite.libraries.cmsis_nn.arithmetic.dsp`.

    Returns:
        The sums of every position ``(lanes,)``, ``bias`` included.
    """
    lanes, columns = a.shape
    sums = [np.broadcast_to(dsp.register(bias), lanes) for _ in positions]
    whole = columns // 4 * 4 if target.instructions == "dsp" else 0
    for column in range(0, whole, 4):
        a1, a2 = read_and_pad_reordered(a, column, count)
        for i, b in enumerate(positions):
            first = dsp.smlad(a1, arm_nn_read_q15x2(b, column), sums[i], count)
            sums[i] = dsp.smlad(a2, arm_nn_read_q15x2(b, column + 2), first, count)
    for column in range(whole, columns):
        for i, b in enumerate(positions):
            sums[i] = dsp.mla(a[:, column], b[..., column], sums[i], count)
    return sums


# -- rows in int8 -----------------------------------------------------------------------


def arm_nn_mat_mult_nt_t_s8(
    lhs: Int8Array,
    rhs: Int8Array,
    bias: Int32Array,
    quant: ChannelQuantization,
    *,
    target: Target,
    count: Count,
) -> Int8Array:
    """Rows of inputs times rows of weights, two rows of either at a time.

    The input's offset is not added to every value: offset times the sum of a row of weights
    comes on top of the bias. The last row of weights, if their number is odd, is multiplied
    one value at a time.

    Args:
        lhs: Inputs ``(rows, columns)``.
        rhs: Weights ``(channels, columns)``.
        bias: One per channel.
        quant: Of all channels.
        target: Decides on DSP instructions.
        count: See :mod:`arenite.libraries.cmsis_nn.arithmetic.dsp`.

    Returns:
        ``(rows, channels)``.
    """
    paired = len(rhs) // 2 * 2
    acc = np.empty((len(lhs), len(rhs)), np.int32)
    offset = dsp.register(quant.input_offset * rhs.sum(axis=1, dtype=np.int64) + bias)
    rows = len(lhs) // 2 * 2
    whole = rhs.shape[1] // 4 * 4 if target.instructions == "dsp" else 0
    for lhs_rows, step in ((slice(0, rows), 2), (slice(rows, None), 1)):
        acc[lhs_rows, :paired] = _products(
            lhs[lhs_rows], rhs[:paired], offset[:paired], (step, whole), count
        )
    for channel in range(paired, len(rhs)):
        shifted = lhs.astype(np.int16) + np.int16(quant.input_offset)
        acc[:, channel] = _scalar(shifted, rhs[channel], bias[channel], count)
    return quant.finish(acc, slice(None), count)


def _products(
    lhs: Int8Array, rhs: Int8Array, offset: Register, blocking: tuple[int, int], count: Count
) -> Register:
    """All products of rows; ``blocking`` is rows of inputs at a time and columns in fours."""
    step, whole = blocking
    shape = (len(lhs) // step, len(rhs) // 2)
    columns = rhs.shape[1]
    ls = [np.broadcast_to(lhs[i::step, np.newaxis], (*shape, columns)) for i in range(step)]
    rs = [np.broadcast_to(rhs[i::2], (*shape, columns)) for i in (0, 1)]
    res = {(i, j): np.broadcast_to(offset[j::2], shape) for i, j in product(range(step), (0, 1))}
    for column in range(0, whole, 4):
        left = [_split(arm_nn_read_s8x4(row, column), count) for row in ls]
        right = [_split(arm_nn_read_s8x4(row, column), count) for row in rs]
        for (i, j), acc in res.items():
            even = dsp.smlad(left[i][0], right[j][0], acc, count)
            res[i, j] = dsp.smlad(left[i][1], right[j][1], even, count)
    for column in range(whole, columns):
        for (i, j), acc in res.items():
            res[i, j] = dsp.mla(ls[i][..., column], rs[j][..., column], acc, count)
    out = np.empty((len(lhs), len(rhs)), np.int32)
    for (i, j), acc in res.items():
        out[i::step, j::2] = acc
    return out


def _split(word: Register, count: Count) -> tuple[Register, Register]:
    """Bytes 0 and 2, and bytes 1 and 3, as int16: one instruction each."""
    return dsp.sxtb16(word, count), dsp.sxtb16(word, count, rotate=8)


def _scalar(lhs: Int16Array, weights: Int8Array, bias: npt.ArrayLike, count: Count) -> Register:
    acc = np.broadcast_to(dsp.register(bias), len(lhs))
    for column in range(len(weights)):
        acc = dsp.mla(weights[column], lhs[:, column], acc, count)
    return acc
