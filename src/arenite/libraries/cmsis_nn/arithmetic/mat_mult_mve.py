"""CMSIS-NN's int8 matrix product with vectors: 16 columns of four rows and a channel at a time.

Axes that C loops over are axes of arrays here, but for the columns. Facts: CMSIS-NN
``Source/NNSupportFunctions/arm_nn_mat_mult_nt_t_s8.c``.
"""

from __future__ import annotations

import numpy as np

from arenite.libraries.cmsis_nn.arithmetic.dsp import Count, Register, register
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import ChannelQuantization, Int32Array
from arenite.libraries.cmsis_nn.arithmetic.mve import (
    BYTES,
    WORDS,
    arm_requantize_mve,
    vaddva,
    vldrb,
    vmladava,
)
from arenite.libraries.cmsis_nn.arithmetic.support import Int8Array, arm_nn_requantize


def arm_nn_mat_mult_nt_t_s8(
    lhs: Int8Array,
    rhs: Int8Array,
    bias: Int32Array,
    quant: ChannelQuantization,
    *,
    count: Count,
) -> Int8Array:
    """Rows of inputs times rows of weights, four rows of inputs at a time.

    The input's offset is not added to every value: the weights are added up on the way, and
    offset times their sum comes with the bias, behind the loop.

    Args:
        lhs: Inputs ``(rows, columns)``.
        rhs: Weights ``(channels, columns)``.
        bias: One per channel.
        quant: Of these channels.
        count: See :mod:`arenite.libraries.cmsis_nn.arithmetic.mve`.

    Returns:
        ``(rows, channels)``.
    """
    rows, columns = len(lhs) // WORDS * WORDS, lhs.shape[1]
    out = np.empty((len(lhs), len(rhs)), np.int8)
    fours = _four_rows(lhs[:rows].reshape(-1, WORDS, columns), rhs, bias, quant, count)
    out[:rows] = fours.reshape(-1, len(rhs))
    out[rows:] = _single_rows(lhs[rows:], rhs, bias, quant, count)
    return out


def _four_rows(
    lhs: Int8Array, rhs: Int8Array, bias: Int32Array, quant: ChannelQuantization, count: Count
) -> Int8Array:
    """``lhs`` is ``(blocks, 4, columns)``, the result ``(blocks, 4, channels)``.

    The four sums of a channel are a vector.
    """
    acc, sum_tmp = products(lhs, rhs, count)
    res = register(acc + offsets(sum_tmp, bias, quant)[..., np.newaxis].astype(np.int64))
    multiplier, shift = quant.multiplier[:, np.newaxis], quant.shift[:, np.newaxis]
    out = quant.clamp(arm_requantize_mve(res, multiplier, shift, count))
    by_row: Int8Array = out.transpose(0, 2, 1)
    return by_row


def _single_rows(
    lhs: Int8Array, rhs: Int8Array, bias: Int32Array, quant: ChannelQuantization, count: Count
) -> Int8Array:
    """One to three rows that are left over: sums of four channels become a vector."""
    acc, sum_tmp = products(lhs[:, np.newaxis], rhs, count)
    sums = register(acc[..., 0] + offsets(sum_tmp, bias, quant).astype(np.int64))
    multiplier, shift, whole = quant.multiplier, quant.shift, len(rhs) // WORDS * WORDS
    fours = (whole // WORDS, WORDS)
    scaled = np.empty_like(sums)
    scaled[:, :whole] = arm_requantize_mve(
        sums[:, :whole].reshape(len(lhs), *fours),
        multiplier[:whole].reshape(fours),
        shift[:whole].reshape(fours),
        count,
    ).reshape(len(lhs), whole)
    left = slice(whole, None)
    scaled[:, left] = arm_nn_requantize(sums[:, left], multiplier[left], shift[left], count)
    return quant.clamp(scaled)


def products(lhs: Int8Array, rhs: Int8Array, count: Count) -> tuple[Register, Register]:
    """The innermost loop: 16 columns in every pass.

    ``lhs`` is ``(blocks, 1 or 4, columns)``. The vector of weights is loaded for the next pass
    at the end of each, the last time for nothing.

    Returns:
        Sums of products ``(blocks, channels, 1 or 4)``, and of weights ``(blocks, channels)``.
    """
    blocks, rows, columns = lhs.shape
    shape = (blocks, len(rhs))
    row = [np.broadcast_to(lhs[:, i, np.newaxis], (*shape, columns)) for i in range(rows)]
    col = np.broadcast_to(rhs, (*shape, columns))
    acc = [np.zeros(shape, np.int32) for _ in range(rows)]
    sum_tmp = np.zeros(shape, np.int32)
    q0 = vldrb(col, 0, count)
    for start in range(0, columns, BYTES):
        sum_tmp = vaddva(sum_tmp, q0, count)
        for i in range(rows):
            acc[i] = vmladava(acc[i], q0, vldrb(row[i], start, count), count)
        q0 = vldrb(col, start + BYTES, count)
    return np.stack(acc, axis=-1), sum_tmp


def offsets(sum_tmp: Register, bias: Int32Array, quant: ChannelQuantization) -> Register:
    """Addends of every sum of a channel: offset times its weights, and the bias."""
    return register(sum_tmp.astype(np.int64) * quant.input_offset + bias)
