"""CMSIS-NN's int8 convolution, step by step: with vectors, with DSP instructions, with neither.

The functions carry CMSIS-NN's names. They differ from C in three things. Pairs (with vectors
fours) of output positions, which C computes one after the other in one scratch buffer, are rows
of an array of such buffers. A bias is always there, zeros where the model has none: with groups
and without a bias CMSIS-NN adds what lies at the first addresses of memory from the second group
on. And ``arm_convolve_1_x_n_s8`` with vectors never reads behind a line, see there. Facts:
CMSIS-NN ``Source/ConvolutionFunctions/arm_convolve_*_s8*.c``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt

from arenite.libraries.cmsis_nn.arithmetic import mat_mult_mve
from arenite.libraries.cmsis_nn.arithmetic.dsp import Count
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import (
    ChannelQuantization,
    Int32Array,
    arm_nn_mat_mult_kernel_s8_s16,
    arm_nn_mat_mult_nt_t_s8,
    dots_s8_s16,
)
from arenite.libraries.cmsis_nn.arithmetic.mve import arm_memcpy_s8, arm_memset_s8
from arenite.libraries.cmsis_nn.arithmetic.support import (
    Int8Array,
    Int16Array,
    arm_q7_to_q15_with_offset,
    arm_s8_to_s16_unordered_with_offset,
)
from arenite.libraries.cmsis_nn.decisions.line import (
    line_is_exact,
    line_right_padding,
    line_sources,
    padded_positions,
    seen_by_windows,
)
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape
from arenite.memory.abi import align_up
from arenite.target import Target

#: Output positions of an image, counted along its rows.
Positions = npt.NDArray[np.intp]

#: Sums that are computed at once; more take more memory and are not faster.
_LANES = 1 << 14


@dataclass(frozen=True)
class ConvArguments:
    """Arguments of all functions: a convolution's shapes, numbers and surroundings.

    Attributes:
        conv: Shapes and geometry.
        quant: Offsets and requantisation.
        weights: ``(output channels, height, width, channels of a group)``.
        bias: One int32 per output channel.
        path: What was decided for it.
        target: The processor.
        count: See :mod:`arenite.libraries.cmsis_nn.arithmetic.dsp` and, for vectors,
            :mod:`arenite.libraries.cmsis_nn.arithmetic.mve`.
    """

    conv: ConvShape
    quant: ChannelQuantization
    weights: Int8Array
    bias: Int32Array
    path: Path
    target: Target
    count: Count

    @property
    def vectors(self) -> bool:
        """Whether the target has vectors."""
        return self.target.instructions == "mve"


def arm_convolve_wrapper_s8(args: ConvArguments, x: Int8Array, out: Int8Array) -> None:
    """Convolve ``x`` (n, h, w, c) to ``out`` on the path that CMSIS-NN takes."""
    _FUNCTIONS[args.path.function](args, x, out)


# -- one tap ------------------------------------------------------------------------------


def arm_convolve_1x1_s8_fast(args: ConvArguments, x: Int8Array, out: Int8Array) -> None:
    """Every pixel is a row of inputs: one matrix product, or pairs of pixels in a buffer."""
    channels = args.conv.input.c
    if not args.path.scratch:
        out[...] = _rows(args, x.reshape(-1, channels)).reshape(out.shape)
        return

    buffer = _Buffer(args.path.scratch_size, channels, channels)
    for image, result in zip(x, out, strict=True):
        collect = partial(_pixels, image.reshape(-1, channels))
        _in_pairs(args, buffer, collect, result.reshape(-1, args.conv.output.c))


def arm_convolve_1x1_s8(args: ConvArguments, x: Int8Array, out: Int8Array) -> None:
    """With strides: one matrix product per row of the output."""
    stride, (_, height, width, _) = args.conv.stride, out.shape
    for image, result in zip(x, out, strict=True):
        for row in range(height):
            result[row] = _rows(args, image[row * stride.h, :: stride.w][:width])


def _rows(args: ConvArguments, rows: Int8Array) -> Int8Array:
    """Rows of inputs times the weights, in blocks."""
    weights = args.weights.reshape(len(args.weights), -1)
    step = max(4, _LANES // len(weights) // 4 * 4)
    out = np.empty((len(rows), len(weights)), np.int8)
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        operands = (rows[block], weights, args.bias, args.quant)
        if args.vectors:
            out[block] = mat_mult_mve.arm_nn_mat_mult_nt_t_s8(*operands, count=args.count)
        else:
            out[block] = arm_nn_mat_mult_nt_t_s8(*operands, target=args.target, count=args.count)
    return out


# -- a line -------------------------------------------------------------------------------


def arm_convolve_1_x_n_s8(args: ConvArguments, x: Int8Array, out: Int8Array) -> None:
    """Along a line: without vectors the general convolution.

    Vectors multiply the line where it lies: rows of inputs that overlap, a step apart. Only the
    ends are copied, to have padding beside them. Where C's copy of the right end is not what the
    windows there hold (:func:`~arenite.libraries.cmsis_nn.decisions.line.line_is_exact`), what it
    has instead is collected one by one here; the windows' own pixels where C reads behind the line.
    """
    if "arm_convolve_s8" in args.path.calls:
        arm_convolve_s8(args, x, out)
        return
    left, right = padded_positions(args.conv)
    starts = (0, left, args.conv.output.w - right, args.conv.output.w)
    for image, result in zip(x, out, strict=True):
        for part, rows in enumerate(_line_windows(args, image, left, right)):
            if len(rows):
                result[0, starts[part] : starts[part + 1]] = _rows(args, rows)


def _line_windows(args: ConvArguments, image: Int8Array, left: int, right: int) -> list[Int8Array]:
    """The windows that meet padding at the left, none, and padding at the right."""
    conv = args.conv
    columns, channels = conv.filter.w * conv.filter.c, conv.input.c
    padding = (conv.padding.w * channels, line_right_padding(conv) * channels)
    for copied, filled in zip((columns, columns - channels), padding, strict=True):
        arm_memcpy_s8(1, copied, args.count)
        arm_memset_s8(1, filled, args.count)
    if not line_is_exact(conv):
        sources = line_sources(conv)
        if sources is None:
            sources = seen_by_windows(conv)
        rows = image[0, sources]
        rows[sources < 0] = np.int8(-args.quant.input_offset)
        return np.split(rows.reshape(conv.output.w, columns), (left, conv.output.w - right))

    line, step = image.reshape(-1), conv.stride.w * channels
    fills = [np.full(size, -args.quant.input_offset, np.int8) for size in padding]
    middle = left * step - padding[0]
    behind = (conv.output.w - right) * step - padding[0]
    pieces = (
        np.concatenate([fills[0], line[:columns]]),
        line[middle:],
        np.concatenate([line[behind : behind + columns - channels], fills[1]]),
    )
    counts = (left, conv.output.w - left - right, right)
    return [_overlapping(*each, columns, step) for each in zip(pieces, counts, strict=True)]


def _overlapping(line: Int8Array, rows: int, columns: int, step: int) -> Int8Array:
    """``rows`` of ``columns`` values, each ``step`` behind the one before."""
    if not rows:
        return np.empty((0, columns), np.int8)
    return np.lib.stride_tricks.sliding_window_view(line, columns)[::step][:rows]


# -- the general convolution --------------------------------------------------------------


def arm_convolve_s8(args: ConvArguments, x: Int8Array, out: Int8Array) -> None:
    """Rows of im2col, two at a time, times the weights; group after group.

    A pair's buffer has two halves. A row is collected as int8 behind what is there in int16,
    then widened to int16 with the offset added: the first row into the first half, the second
    into the second, over the bytes from which it comes. Vectors multiply four rows of int8 as
    they are.
    """
    if args.vectors:
        _convolve_in_fours(args, x, out)
        return
    conv = args.conv
    columns = conv.filter.h * conv.filter.w * conv.filter.c
    buffer = _Buffer(args.path.scratch_size, columns, align_up(columns, 4))
    for image, result in zip(x, out, strict=True):
        for group in range(conv.groups):
            channels = slice(group * conv.filter.c, (group + 1) * conv.filter.c)
            collect = partial(_windows, args, image[..., channels])
            _in_pairs(args, buffer, collect, result.reshape(-1, conv.output.c), group)


def _convolve_in_fours(args: ConvArguments, x: Int8Array, out: Int8Array) -> None:
    """Four rows of im2col at a time; one to three are left over at the end of a group."""
    conv, filters = args.conv, args.conv.output.c // args.conv.groups
    step = max(4, _LANES // filters // 4 * 4)
    for image, result in zip(x, out.reshape(len(x), -1, conv.output.c), strict=True):
        for group, start in product(range(conv.groups), range(0, len(result), step)):
            inputs = slice(group * conv.filter.c, (group + 1) * conv.filter.c)
            channels = slice(group * filters, (group + 1) * filters)
            weights = args.weights[channels].reshape(filters, -1)
            positions = np.arange(start, min(start + step, len(result)))
            rows = np.empty((len(positions), weights.shape[1]), np.int8)
            im2col(args, image[..., inputs], positions, rows)
            result[positions, channels] = mat_mult_mve.arm_nn_mat_mult_nt_t_s8(
                rows, weights, args.bias[channels], args.quant.of(channels), count=args.count
            )


def im2col(args: ConvArguments, image: Int8Array, positions: Positions, rows: Int8Array) -> None:
    """The windows at some output positions as rows; outside of the image ``-input_offset``.

    ``image`` is ``(h, w, channels of a group)``, ``rows`` ``(positions, columns)``.
    """
    conv, depth = args.conv, args.conv.filter.c
    base_y = positions // conv.output.w * conv.stride.h - conv.padding.h
    base_x = positions % conv.output.w * conv.stride.w - conv.padding.w
    rows[...] = np.int8(-args.quant.input_offset)
    for tap, (i, j) in enumerate(np.ndindex(conv.filter.h, conv.filter.w)):
        y, x = base_y + i * conv.dilation.h, base_x + j * conv.dilation.w
        inside = (y >= 0) & (y < conv.input.h) & (x >= 0) & (x < conv.input.w)
        rows[inside, tap * depth : (tap + 1) * depth] = image[y[inside], x[inside]]
        if args.vectors:
            arm_memcpy_s8(int(inside.sum()), depth, args.count)
            arm_memset_s8(int((~inside).sum()), depth, args.count)


# -- positions in pairs -------------------------------------------------------------------


@dataclass(frozen=True)
class _Buffer:
    """Scratch memory of ``size`` bytes: two rows of ``columns`` int16, ``aligned`` apart."""

    size: int
    columns: int
    aligned: int


#: ``collect(positions, room)`` gives the int8 rows at some positions; it may put them into room.
_Collect = Callable[[Positions, Int8Array], Int8Array]


def _windows(
    args: ConvArguments, image: Int8Array, positions: Positions, room: Int8Array
) -> Int8Array:
    """Rows of im2col."""
    im2col(args, image, positions, room)
    return room


def _pixels(pixels: Int8Array, positions: Positions, room: Int8Array) -> Int8Array:
    """Pixels are rows as they are."""
    rows: Int8Array = pixels[positions]
    return rows


def _in_pairs(
    args: ConvArguments, buffer: _Buffer, collect: _Collect, out: Int8Array, group: int = 0
) -> None:
    """All outputs ``(positions, channels)`` of a group: pairs of positions, then one left over."""
    filters = args.conv.output.c // args.conv.groups
    channels = slice(group * filters, (group + 1) * filters)
    weights = args.weights[channels].reshape(filters, -1)
    step = max(1, _LANES // (2 * filters))
    for start in range(0, len(out) // 2, step):
        first = 2 * np.arange(start, min(start + step, len(out) // 2))
        rows = _widened(args, buffer, collect, [first, first + 1])
        outputs = arm_nn_mat_mult_kernel_s8_s16(
            weights,
            rows,
            args.bias[channels],
            args.quant,
            channels,
            target=args.target,
            count=args.count,
        )
        out[2 * start : 2 * start + 2 * len(first), channels] = outputs.reshape(-1, filters)
    if len(out) % 2:
        row = _widened(args, buffer, collect, [np.array([len(out) - 1])])
        (acc,) = dots_s8_s16(
            weights, [row[0, 0]], args.bias[channels], target=args.target, count=args.count
        )
        out[-1, channels] = args.quant.finish(acc, channels, args.count)


def _widened(
    args: ConvArguments, buffer: _Buffer, collect: _Collect, columns: list[Positions]
) -> Int16Array:
    """Rows in int16 ``(buffers, 1 or 2, aligned)``; what lies between them is what was there."""
    memory = np.zeros((len(columns[0]), buffer.size), np.uint8)
    wide = memory[:, : 4 * buffer.aligned].view(np.int16)
    for row, positions in enumerate(columns):
        behind = 2 * buffer.aligned + row * buffer.columns
        room = memory[:, behind : behind + buffer.columns].view(np.int8)
        source = collect(positions, room)
        start = row * buffer.aligned
        target = wide[:, start : start + buffer.columns]
        if args.target.instructions == "dsp":
            arm_s8_to_s16_unordered_with_offset(source, target, args.quant.input_offset, args.count)
        else:
            arm_q7_to_q15_with_offset(source, target, args.quant.input_offset)
    return wide.reshape(len(memory), 2, buffer.aligned)


_FUNCTIONS = {
    function.__name__: function
    for function in (
        arm_convolve_1x1_s8_fast,
        arm_convolve_1x1_s8,
        arm_convolve_1_x_n_s8,
        arm_convolve_s8,
    )
}
