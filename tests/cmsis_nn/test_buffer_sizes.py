"""Scratch bytes of every path, by target, computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn.shapes import Convolution, Dims, Pair
from arenite.cmsis_nn.targets import TARGETS, Target

PLAIN, DSP, MVE = (TARGETS[f"cortex-m{n}"] for n in (0, 4, 55))
ARM_COMPILER = Target("cortex-m4", "dsp", "armclang")


def conv(
    channels: int = 3,
    taps: tuple[int, int] = (3, 3),
    image: tuple[int, int] = (8, 8),
    filters: int = 4,
) -> Convolution:
    """A convolution with unit strides and padding of 1."""
    return Convolution(
        input=Dims(1, *image, channels),
        filter=Dims(1, *taps, channels),
        output=Dims(1, *image, filters),
        padding=Pair(taps[0] // 2, taps[1] // 2),
    )


def by_target(function, *arguments) -> list[int]:
    return [function(*arguments, target) for target in (PLAIN, DSP, MVE)]


# -- convolution -------------------------------------------------------------------------


def test_im2col_is_two_rows_of_int16_in_whole_fours_or_four_of_int8_in_whole_vectors() -> None:
    """3 * 3 * 3 = 27 values: 28 * 2 rows * 2 bytes, and 32 * 4 rows."""
    assert by_target(sizes.arm_convolve_wrapper_s8_get_buffer_size, conv()) == [112, 112, 128]


def test_groups_take_as_much_as_all_channels() -> None:
    """6 * 9 = 54 values, filled up to 56."""
    grouped = conv(channels=6)
    grouped = replace(grouped, filter=replace(grouped.filter, c=3))
    assert by_target(sizes.arm_convolve_wrapper_s8_get_buffer_size, grouped) == [224, 224, 256]


def test_one_tap_needs_nothing_with_gcc() -> None:
    pointwise = conv(channels=5, taps=(1, 1))
    assert by_target(sizes.arm_convolve_wrapper_s8_get_buffer_size, pointwise) == [0, 0, 0]
    strided = replace(pointwise, stride=Pair(2, 2))
    assert by_target(sizes.arm_convolve_wrapper_s8_get_buffer_size, strided) == [0, 0, 0]


def test_one_tap_needs_two_pixels_of_int16_with_arm_compiler_6() -> None:
    pointwise = conv(channels=5, taps=(1, 1))
    assert sizes.arm_convolve_wrapper_s8_get_buffer_size(pointwise, ARM_COMPILER) == 20
    strided = replace(pointwise, stride=Pair(1, 2))
    assert sizes.arm_convolve_wrapper_s8_get_buffer_size(strided, ARM_COMPILER) == 0


def line(width: int, taps: int, outputs: int, pad: int, stride: int = 1) -> Convolution:
    """A convolution of 4 channels along a line."""
    return Convolution(
        input=Dims(1, 1, width, 4),
        filter=Dims(1, 1, taps, 4),
        output=Dims(1, 1, outputs, 4),
        stride=Pair(1, stride),
        padding=Pair(0, pad),
    )


def test_a_line_needs_its_padded_ends_with_vectors() -> None:
    """The window of 5 * 4 values and 2 * 4 before it; elsewhere two rows of im2col."""
    assert by_target(sizes.arm_convolve_wrapper_s8_get_buffer_size, line(10, 5, 10, 2)) == [
        80,
        80,
        28,
    ]


def test_a_line_that_is_all_ends_is_a_general_convolution() -> None:
    """Both outputs see padding at the left and at the right: 4 rows of 5 * 4 values in vectors."""
    assert sizes.arm_convolve_wrapper_s8_get_buffer_size(line(2, 5, 2, 2), MVE) == 128


def test_padding_that_is_wider_at_the_right_counts_the_positions_that_see_it() -> None:
    """4 taps: 1 before, 2 behind, which 2 positions see: 3 * 4 + 2 * 4 values."""
    assert sizes.arm_convolve_wrapper_s8_get_buffer_size(line(10, 4, 10, 1), MVE) == 20


def test_input_that_is_left_over_counts_as_padding_of_minus_one() -> None:
    """10 pixels, 3 taps in steps of 2 leave one over: one position, 2 * 4 + 1 * 4 values."""
    assert sizes.line_padding(line(10, 3, 4, 0, 2)) == (-1, -1)
    assert sizes.arm_convolve_wrapper_s8_get_buffer_size(line(10, 3, 4, 0, 2), MVE) == 12


def test_int16_rows_are_not_filled_up_without_vectors() -> None:
    assert by_target(sizes.arm_convolve_wrapper_s16_get_buffer_size, conv()) == [108, 108, 256]


# -- depthwise convolution ---------------------------------------------------------------


def depthwise(
    channels: int = 8, taps: tuple[int, int] = (5, 3), multiplier: int = 1
) -> Convolution:
    base = conv(channels, taps, filters=channels * multiplier)
    return replace(base, filter=replace(base.filter, c=channels * multiplier), ch_mult=multiplier)


def test_the_optimised_depthwise_path_needs_a_window() -> None:
    """8 * 15 int16; with vectors 4 blocks of 124 channels."""
    size = sizes.arm_depthwise_conv_wrapper_s8_get_buffer_size
    assert by_target(size, depthwise()) == [0, 240, 7440]


def test_the_3x3_path_needs_nothing_but_with_vectors() -> None:
    size = sizes.arm_depthwise_conv_wrapper_s8_get_buffer_size
    assert by_target(size, depthwise(taps=(3, 3))) == [0, 0, 4464]
    wide = replace(depthwise(taps=(3, 3)), padding=Pair(2, 1))
    assert by_target(size, wide) == [0, 144, 4464]


@pytest.mark.parametrize(
    "change",
    [
        depthwise(multiplier=2),
        replace(depthwise(), dilation=Pair(2, 1)),
        replace(depthwise(), input=Dims(2, 8, 8, 8)),
    ],
)
def test_the_generic_depthwise_path_needs_nothing(change: Convolution) -> None:
    size = sizes.arm_depthwise_conv_wrapper_s8_get_buffer_size
    assert by_target(size, change) == [0, 0, 0]


def test_one_channel_is_convolved_with_vectors_and_needs_its_turned_weights() -> None:
    """im2col of 15 values in 4 vectors, and 15 * 8 weights."""
    size = sizes.arm_depthwise_conv_wrapper_s8_get_buffer_size
    one = depthwise(channels=1, multiplier=8)
    assert by_target(size, one) == [0, 0, 64 + 120]
    assert size(one, Target("cortex-m55", "mve", "armclang")) == 0  # needs 9 channels there


def test_int4_weights_take_a_window_even_without_dsp_instructions() -> None:
    size = sizes.arm_depthwise_conv_wrapper_s4_get_buffer_size
    assert by_target(size, depthwise(taps=(3, 3))) == [144, 144, 4464]
    assert by_target(size, depthwise(multiplier=2)) == [0, 0, 0]


# -- other operators ---------------------------------------------------------------------


def transposed(channels: int, stride: Pair) -> Convolution:
    return Convolution(Dims(1, 4, 5, channels), Dims(2, 3, 3, channels), Dims(1, 8, 10, 2), stride)


def test_a_transposed_convolution_of_many_channels_reverses_the_filter() -> None:
    many = transposed(17, Pair(2, 2))
    assert by_target(sizes.arm_transpose_conv_s8_get_buffer_size, many) == [624, 624, 640]
    assert sizes.arm_transpose_conv_s8_get_reverse_conv_buffer_size(many) == 17 * 9 * 2


@pytest.mark.parametrize(("channels", "stride"), [(16, Pair(2, 2)), (17, Pair(3, 2))])
def test_other_transposed_convolutions_sum_rows_in_int32(channels: int, stride: Pair) -> None:
    """(4 * 2 + 3) columns and 3 rows of 2 filters."""
    few = transposed(channels, stride)
    assert by_target(sizes.arm_transpose_conv_s8_get_buffer_size, few) == [11 * 3 * 2 * 4] * 3
    assert sizes.arm_transpose_conv_s8_get_reverse_conv_buffer_size(few) == 0


def test_sums_of_weights_are_kept_for_vectors() -> None:
    assert by_target(sizes.arm_fully_connected_s8_get_buffer_size, 10) == [0, 0, 40]
    assert by_target(sizes.arm_svdf_s8_get_buffer_size, 10) == [0, 0, 40]


def test_average_pooling_sums_in_memory_with_dsp_instructions_only() -> None:
    assert by_target(sizes.arm_avgpool_s8_get_buffer_size, 64) == [0, 256, 0]
