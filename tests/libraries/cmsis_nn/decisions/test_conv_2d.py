"""CONV_2D: which function every wrapper chooses, which conditions say so, and scratch bytes."""

from dataclasses import replace

import pytest

from arenite.libraries.cmsis_nn.decisions.conv_2d import (
    arm_convolve_wrapper_s4,
    arm_convolve_wrapper_s8,
    arm_convolve_wrapper_s16,
)
from arenite.libraries.cmsis_nn.decisions.line import line_padding
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.target import Target
from tests.libraries.cmsis_nn.decisions.geometry import (
    ALL,
    ARM_COMPILER,
    DSP,
    MVE,
    PLAIN,
    asked,
    conv,
    failed,
    line,
    scratch,
)

POINTWISE = conv(channels=8, taps=(1, 1))


# -- convolution: one by one ---


@ALL
def test_one_tap_with_unit_strides_takes_the_fast_path(target: Target) -> None:
    path = arm_convolve_wrapper_s8(POINTWISE, target)
    assert path.function == "arm_convolve_1x1_s8_fast"
    assert asked(path) == (
        ("padding is 0 x 0: 0 x 0", True),
        ("the filter is 1 x 1: 1 x 1", True),
        ("dilation is 1 x 1: 1 x 1", True),
        ("the filter has all input channels: 8 of 8", True),
        ("strides are 1 x 1: 1 x 1", True),
    )
    assert path.calls == (
        "arm_convolve_wrapper_s8",
        "arm_convolve_1x1_s8_fast",
        "arm_nn_mat_mult_nt_t_s8",
    )


def test_arm_compiler_6_multiplies_pairs_of_pixels_in_int16() -> None:
    path = arm_convolve_wrapper_s8(POINTWISE, ARM_COMPILER)
    assert path.function == "arm_convolve_1x1_s8_fast"
    assert path.calls[-1] == "arm_nn_mat_mult_kernel_s8_s16"


@ALL
@pytest.mark.parametrize("stride", [Pair(2, 1), Pair(1, 2)], ids=str)
def test_one_tap_with_strides_takes_the_strided_path(target: Target, stride: Pair) -> None:
    path = arm_convolve_wrapper_s8(replace(POINTWISE, stride=stride), target)
    assert path.function == "arm_convolve_1x1_s8"
    assert failed(path) == [f"strides are 1 x 1: {stride}"]


@ALL
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"padding": Pair(1, 0)}, "padding is 0 x 0: 1 x 0"),
        ({"padding": Pair(0, 1)}, "padding is 0 x 0: 0 x 1"),
        ({"dilation": Pair(2, 1)}, "dilation is 1 x 1: 2 x 1"),
        ({"dilation": Pair(1, 2)}, "dilation is 1 x 1: 1 x 2"),
        ({"filter": Dims(1, 2, 1, 8)}, "the filter is 1 x 1: 2 x 1"),
        ({"filter": Dims(1, 1, 2, 8)}, "the filter is 1 x 1: 1 x 2"),
        ({"filter": Dims(1, 1, 1, 4)}, "the filter has all input channels: 4 of 8"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_anything_else_than_one_tap_is_a_general_convolution(
    target: Target, change: dict[str, Dims | Pair], reason: str
) -> None:
    path = arm_convolve_wrapper_s8(replace(POINTWISE, **change), target)  # type: ignore[arg-type]
    assert path.function == "arm_convolve_s8"
    assert reason in failed(path)


# -- convolution: along a line ---


def test_a_line_in_steps_of_whole_words_takes_the_1xn_path() -> None:
    path = arm_convolve_wrapper_s8(line(10, 5, 10, 2), DSP)
    assert path.function == "arm_convolve_1_x_n_s8"
    assert asked(path)[4:] == (
        ("the input has height 1: 1", True),
        ("the filter has height 1: 1", True),
        ("horizontal dilation is 1: 1", True),
        ("horizontal stride times channels is a multiple of 4: 1 * 4 = 4", True),
        ("the filter has all input channels: 4 of 4", True),
    )


def test_without_vectors_the_1xn_path_is_the_general_convolution() -> None:
    path = arm_convolve_wrapper_s8(line(10, 5, 10, 2), DSP)
    assert path.calls[1:] == (
        "arm_convolve_1_x_n_s8",
        "arm_convolve_s8",
        "arm_nn_mat_mult_kernel_s8_s16",
    )


def test_with_vectors_the_1xn_path_multiplies_the_line_itself() -> None:
    path = arm_convolve_wrapper_s8(line(10, 5, 10, 2), MVE)
    assert path.calls[1:] == ("arm_convolve_1_x_n_s8", "arm_nn_mat_mult_nt_t_s8")


def test_with_vectors_a_line_that_is_all_padded_ends_is_a_general_convolution() -> None:
    path = arm_convolve_wrapper_s8(line(2, 5, 2, 2), MVE)
    assert path.calls[1:3] == ("arm_convolve_1_x_n_s8", "arm_convolve_s8")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"input": Dims(1, 2, 10, 4)}, "the input has height 1: 2"),
        ({"filter": Dims(1, 2, 5, 4)}, "the filter has height 1: 2"),
        ({"dilation": Pair(1, 2)}, "horizontal dilation is 1: 2"),
        (
            {"input": Dims(1, 1, 10, 3), "filter": Dims(1, 1, 5, 3)},
            "horizontal stride times channels is a multiple of 4: 1 * 3 = 3",
        ),
        ({"input": Dims(1, 1, 10, 8)}, "the filter has all input channels: 4 of 8"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_anything_else_than_a_line_is_a_general_convolution(
    change: dict[str, Dims | Pair], reason: str
) -> None:
    path = arm_convolve_wrapper_s8(replace(line(10, 5, 10, 2), **change), DSP)  # type: ignore[arg-type]
    assert path.function == "arm_convolve_s8"
    assert reason in failed(path)


def test_the_stride_can_make_steps_of_whole_words() -> None:
    two_channels = replace(
        line(10, 3, 5, 1, stride=2), input=Dims(1, 1, 10, 2), filter=Dims(1, 1, 3, 2)
    )
    assert arm_convolve_wrapper_s8(two_channels, DSP).function == "arm_convolve_1_x_n_s8"


# -- convolution: the product, other types ---


def grouped() -> ConvShape:
    base = conv(channels=6)
    return replace(base, filter=replace(base.filter, c=3))


def test_the_general_convolution_multiplies_as_the_target_can() -> None:
    products = [arm_convolve_wrapper_s8(conv(), t).calls[-1] for t in (PLAIN, DSP, MVE)]
    assert products == [
        "arm_nn_mat_mult_kernel_s8_s16",
        "arm_nn_mat_mult_kernel_s8_s16",
        "arm_nn_mat_mult_nt_t_s8",
    ]


def test_groups_write_their_outputs_side_by_side() -> None:
    products = [arm_convolve_wrapper_s8(grouped(), t).calls[-1] for t in (DSP, MVE)]
    assert products == ["arm_nn_mat_mult_kernel_row_offset_s8_s16", "arm_nn_mat_mult_nt_t_s8"]


@pytest.mark.parametrize(
    ("shape", "target", "function"),
    [
        (POINTWISE, DSP, "arm_convolve_1x1_s4_fast"),
        (replace(POINTWISE, stride=Pair(2, 2)), DSP, "arm_convolve_1x1_s4"),
        (line(10, 5, 10, 2), DSP, "arm_convolve_1_x_n_s4"),
        (conv(channels=2), DSP, "arm_convolve_s4"),
        (conv(channels=2), MVE, "arm_convolve_even_s4"),
        (conv(channels=3), MVE, "arm_convolve_s4"),
    ],
)
def test_int4_weights(shape: ConvShape, target: Target, function: str) -> None:
    assert arm_convolve_wrapper_s4(shape, target).function == function


@ALL
def test_int16_activations_have_one_path(target: Target) -> None:
    assert arm_convolve_wrapper_s16(conv(), target).function == "arm_convolve_s16"


# -- scratch memory ---


def test_im2col_is_two_rows_of_int16_in_whole_fours_or_four_of_int8_in_whole_vectors() -> None:
    """3 * 3 * 3 = 27 values: 28 * 2 rows * 2 bytes, and 32 * 4 rows."""
    assert scratch(arm_convolve_wrapper_s8, conv()) == [112, 112, 128]


def test_groups_take_as_much_as_all_channels() -> None:
    """6 * 9 = 54 values, filled up to 56."""
    assert scratch(arm_convolve_wrapper_s8, grouped()) == [224, 224, 256]


def test_one_tap_needs_nothing_with_gcc() -> None:
    pointwise = conv(channels=5, taps=(1, 1))
    assert scratch(arm_convolve_wrapper_s8, pointwise) == [0, 0, 0]
    strided = replace(pointwise, stride=Pair(2, 2))
    assert scratch(arm_convolve_wrapper_s8, strided) == [0, 0, 0]


def test_one_tap_needs_two_pixels_of_int16_with_arm_compiler_6() -> None:
    pointwise = conv(channels=5, taps=(1, 1))
    assert arm_convolve_wrapper_s8(pointwise, ARM_COMPILER).scratch_size == 20
    strided = replace(pointwise, stride=Pair(1, 2))
    assert arm_convolve_wrapper_s8(strided, ARM_COMPILER).scratch_size == 0


def test_a_line_needs_its_padded_ends_with_vectors() -> None:
    """The window of 5 * 4 values and 2 * 4 before it; elsewhere two rows of im2col."""
    assert scratch(arm_convolve_wrapper_s8, line(10, 5, 10, 2)) == [
        80,
        80,
        28,
    ]


def test_a_line_that_is_all_ends_is_a_general_convolution() -> None:
    """Both outputs see padding at the left and at the right: 4 rows of 5 * 4 values in vectors."""
    assert arm_convolve_wrapper_s8(line(2, 5, 2, 2), MVE).scratch_size == 128


def test_padding_that_is_wider_at_the_right_counts_the_positions_that_see_it() -> None:
    """4 taps: 1 before, 2 behind, which 2 positions see: 3 * 4 + 2 * 4 values."""
    assert arm_convolve_wrapper_s8(line(10, 4, 10, 1), MVE).scratch_size == 20


def test_input_that_is_left_over_counts_as_padding_of_minus_one() -> None:
    """10 pixels, 3 taps in steps of 2 leave one over: one position, 2 * 4 + 1 * 4 values."""
    assert line_padding(line(10, 3, 4, 0, 2)) == (-1, -1)
    assert arm_convolve_wrapper_s8(line(10, 3, 4, 0, 2), MVE).scratch_size == 12


def test_int16_rows_are_not_filled_up_without_vectors() -> None:
    assert scratch(arm_convolve_wrapper_s16, conv()) == [108, 108, 256]
