"""Bytes of scratch memory that CMSIS-NN's functions need, as functions of shapes and target.

The names are CMSIS-NN's; ``target`` stands for its preprocessor definitions. Facts:
CMSIS-NN ``Source/**/*_get_buffer_sizes_*.c`` and ``Include/arm_nnsupportfunctions.h``.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.cmsis_nn.shapes import Convolution, Dims
from arenite.cmsis_nn.targets import Target
from arenite.memory.abi import align_up

#: ``CH_IN_BLOCK_MVE``: channels of a depthwise convolution that are computed together.
CH_IN_BLOCK_MVE = 124
#: ``REVERSE_TCOL_EFFICIENT_THRESHOLD``: from more input channels on, a transposed
#: convolution is computed as a convolution with the reversed filter.
REVERSE_TCOL_EFFICIENT_THRESHOLD = 16
_INT16, _INT32 = 2, 4


# -- what a path depends on -----------------------------------------------------------


def is_convolve_1x1(conv: Convolution) -> bool:
    """``arm_nn_is_convolve_1x1``: one tap that meets every pixel once, no groups."""
    return (
        (conv.padding.h, conv.padding.w) == (0, 0)
        and (conv.filter.h, conv.filter.w) == (1, 1)
        and (conv.dilation.h, conv.dilation.w) == (1, 1)
        and conv.input.c == conv.filter.c
    )


def is_convolve_1x1_fast(conv: Convolution) -> bool:
    """``arm_nn_is_convolve_1x1_fast``: strides of 1."""
    return (conv.stride.h, conv.stride.w) == (1, 1)


def is_convolve_1_x_n(conv: Convolution) -> bool:
    """``arm_nn_is_convolve_1_x_n``: along a line whose steps are whole 32-bit words."""
    return (
        conv.input.h == conv.filter.h == 1
        and conv.dilation.w == 1
        and conv.stride.w * conv.input.c % 4 == 0
        and conv.input.c == conv.filter.c
    )


def is_plain_depthwise(conv: Convolution) -> bool:
    """One image, as many channels out as in, no dilation."""
    return (
        conv.input.c == conv.output.c
        and conv.input.n == 1
        and (conv.dilation.h, conv.dilation.w) == (1, 1)
    )


def is_depthwise_3x3(conv: Convolution) -> bool:
    """A 3x3 filter with a padding of at most 1."""
    return (conv.filter.h, conv.filter.w) == (3, 3) and conv.padding.h <= 1 and conv.padding.w <= 1


def converts_depthwise(conv: Convolution, target: Target) -> bool:
    """Whether vectors make a depthwise convolution of one channel an ordinary one."""
    threshold = 8 if target.compiler == "armclang" else 1
    return target.instructions == "mve" and conv.input.c == 1 and conv.output.c > threshold


def reverses_filter(conv: Convolution) -> bool:
    """Whether a transposed convolution is one with the reversed filter."""
    possible = conv.stride.w <= 2 and conv.stride.h <= 2
    return possible and conv.input.c > REVERSE_TCOL_EFFICIENT_THRESHOLD


# -- convolution ----------------------------------------------------------------------


def columns(conv: Convolution) -> int:
    """Values in one im2col row that has all input channels (more than a group needs)."""
    return conv.filter.w * conv.filter.h * conv.input.c


def arm_convolve_s8_get_buffer_size(conv: Convolution, target: Target) -> int:
    """Two rows in int16; with vectors four in int8, in whole vectors."""
    if target.instructions == "mve":
        return 4 * align_up(columns(conv), 16)
    return 2 * align_up(columns(conv), 4) * _INT16


def arm_convolve_1_x_n_s8_get_buffer_size(conv: Convolution, target: Target) -> int:
    """As the general convolution; with vectors the padded ends of a line."""
    if target.instructions != "mve" or not line_splits(conv):
        return arm_convolve_s8_get_buffer_size(conv, target)
    channels, pad = conv.input.c, conv.padding.w
    left, right = pad * channels, line_right_padding(conv) * channels
    window = conv.filter.w * channels
    return max(window + left, window - channels + right)


def line_padding(conv: Convolution) -> tuple[int, int]:
    """Padding along a line in all, and its remainder by 2 as C computes it (-1, 0 or 1)."""
    total = (conv.output.w - 1) * conv.stride.w + conv.filter.w - conv.input.w
    return total, total - 2 * int(total / 2)


def padded_positions(conv: Convolution) -> tuple[int, int]:
    """Output positions along a line that meet padding at the left and at the right."""
    pad, stride = conv.padding.w, conv.stride.w
    right = pad + line_padding(conv)[1]
    return _positions(pad, stride), _positions(right, stride)


def _positions(pad: int, stride: int) -> int:
    return max(1, int((pad + stride - 1) / stride)) if pad else 0


def line_splits(conv: Convolution) -> bool:
    """Whether the padded ends of a line are separate: they do not cover all positions."""
    return sum(padded_positions(conv)) <= conv.output.w


def line_right_padding(conv: Convolution) -> int:
    """Pixels of padding that vectors put behind the right end of a line."""
    _, right = padded_positions(conv)
    return right if line_padding(conv)[1] else conv.padding.w


def line_is_exact(conv: Convolution) -> bool:
    """Whether vectors find at the ends of a line what the windows there hold.

    C refuses a line whose padding is not split evenly, as with steps that leave a part of the
    input over. It takes for granted that the first window at the right end lacks one pixel, that
    the padding behind is long enough for the last one, and that a window is no longer than the
    line. With steps of 1 only the last may not hold.
    """
    total, remainder = line_padding(conv)
    _, right = padded_positions(conv)
    if 2 * conv.padding.w + remainder != total or conv.filter.w > conv.input.w:
        return False
    further = (right - 1) * conv.stride.w
    lacking = total - conv.padding.w - further
    return not right or (lacking == 1 and line_right_padding(conv) > further)


def arm_convolve_1x1_s8_fast_get_buffer_size(channels: int, target: Target) -> int:
    """Two pixels in int16 with Arm Compiler 6 and DSP instructions, else none."""
    if target.instructions == "dsp" and target.compiler == "armclang":
        return 2 * channels * _INT16
    return 0


def arm_convolve_wrapper_s8_get_buffer_size(conv: Convolution, target: Target) -> int:
    """Of the path that ``arm_convolve_wrapper_s8`` takes."""
    if is_convolve_1x1(conv):
        if is_convolve_1x1_fast(conv):
            return arm_convolve_1x1_s8_fast_get_buffer_size(conv.input.c, target)
        return 0
    if is_convolve_1_x_n(conv):
        return arm_convolve_1_x_n_s8_get_buffer_size(conv, target)
    return arm_convolve_s8_get_buffer_size(conv, target)


def arm_convolve_wrapper_s16_get_buffer_size(conv: Convolution, target: Target) -> int:
    """Two rows in int16; with vectors four, in whole vectors."""
    if target.instructions == "mve":
        return 4 * align_up(columns(conv), 8) * _INT16
    return 2 * columns(conv) * _INT16


# -- depthwise convolution ------------------------------------------------------------


def arm_depthwise_conv_s8_opt_get_buffer_size(conv: Convolution, target: Target) -> int:
    """One window in int16; with vectors four blocks of channels in int8."""
    if target.instructions == "mve":
        return 4 * CH_IN_BLOCK_MVE * conv.filter.w * conv.filter.h
    if target.instructions == "dsp":
        return columns(conv) * _INT16
    return 0


def arm_depthwise_conv_wrapper_s8_get_buffer_size(conv: Convolution, target: Target) -> int:
    """Of the path that ``arm_depthwise_conv_wrapper_s8`` takes."""
    if converts_depthwise(conv, target):
        taps = conv.filter.c * conv.filter.h * conv.filter.w
        return arm_convolve_wrapper_s8_get_buffer_size(as_convolution(conv), target) + taps
    if not is_plain_depthwise(conv):
        return 0
    if target.instructions != "mve" and is_depthwise_3x3(conv):
        return 0
    return arm_depthwise_conv_s8_opt_get_buffer_size(conv, target)


def as_convolution(conv: Convolution) -> Convolution:
    """A depthwise convolution of one channel as an ordinary convolution."""
    taps = conv.filter
    return replace(conv, filter=Dims(taps.c, taps.h, taps.w, taps.n), ch_mult=1)


def arm_depthwise_conv_wrapper_s4_get_buffer_size(conv: Convolution, target: Target) -> int:
    """Of the optimised path; it takes as much without DSP instructions as with them."""
    if not is_plain_depthwise(conv):
        return 0
    if target.instructions == "mve":
        return arm_depthwise_conv_s8_opt_get_buffer_size(conv, target)
    return columns(conv) * _INT16


# -- other operators ------------------------------------------------------------------


def arm_transpose_conv_s8_get_buffer_size(conv: Convolution, target: Target) -> int:
    """An im2col buffer where the filter is reversed, else rows of sums in int32."""
    if reverses_filter(conv):
        return arm_convolve_s8_get_buffer_size(conv, target)
    # CMSIS-NN compares the filter's width with the vertical stride, too.
    width = (conv.input.w - 1) * conv.stride.w + max(conv.filter.w, conv.stride.h)
    return width * conv.output.c * max(conv.filter.h, conv.stride.h) * _INT32


def arm_transpose_conv_s8_get_reverse_conv_buffer_size(conv: Convolution) -> int:
    """The reversed filter, where it is reversed."""
    return columns(conv) * conv.filter.n if reverses_filter(conv) else 0


def arm_fully_connected_s8_get_buffer_size(units: int, target: Target) -> int:
    """With vectors the sum of every unit's weights."""
    return units * _INT32 if target.instructions == "mve" else 0


def arm_svdf_s8_get_buffer_size(filters: int, target: Target) -> int:
    """With vectors the sum of every filter's weights."""
    return arm_fully_connected_s8_get_buffer_size(filters, target)


def arm_avgpool_s8_get_buffer_size(channels: int, target: Target) -> int:
    """With DSP instructions the sums of one window; ``arm_avgpool_s16`` takes the same."""
    return channels * _INT32 if target.instructions == "dsp" else 0
