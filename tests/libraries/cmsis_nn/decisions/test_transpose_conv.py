"""TRANSPOSE_CONV: which function the wrapper chooses, why, and scratch bytes."""

import pytest

from arenite.libraries.cmsis_nn.decisions.transpose_conv import arm_transpose_conv_wrapper_s8
from arenite.libraries.shapes import Pair
from tests.libraries.cmsis_nn.decisions.geometry import DSP, MVE, PLAIN, asked, failed, transposed


def test_a_transposed_convolution_of_many_channels_is_one_with_a_reversed_filter() -> None:
    path = arm_transpose_conv_wrapper_s8(transposed(17, Pair(2, 2)), DSP)
    assert path.function == "arm_convolve_s8"
    assert asked(path) == (
        ("strides are at most 2 x 2: 2 x 2", True),
        ("there are more than 16 input channels: 17", True),
    )


@pytest.mark.parametrize(
    ("channels", "stride", "reason"),
    [
        (16, Pair(2, 2), "there are more than 16 input channels: 16"),
        (17, Pair(3, 1), "strides are at most 2 x 2: 3 x 1"),
        (17, Pair(1, 3), "strides are at most 2 x 2: 1 x 3"),
    ],
)
def test_other_transposed_convolutions_scatter(channels: int, stride: Pair, reason: str) -> None:
    path = arm_transpose_conv_wrapper_s8(transposed(channels, stride), DSP)
    assert path.function == "arm_transpose_conv_s8"
    assert failed(path) == [reason]


# -- scratch memory ---


def sizes(channels: int, stride: Pair) -> list[list[int]]:
    """Both buffers of every target."""
    paths = [
        arm_transpose_conv_wrapper_s8(transposed(channels, stride), t) for t in (PLAIN, DSP, MVE)
    ]
    return [[request.size for request in path.scratch] for path in paths]


def test_a_reversed_filter_takes_im2col_rows_and_itself() -> None:
    reverse = 17 * 9 * 2
    assert sizes(17, Pair(2, 2)) == [[624, reverse], [624, reverse], [640, reverse]]


@pytest.mark.parametrize(("channels", "stride"), [(16, Pair(2, 2)), (17, Pair(3, 2))])
def test_others_sum_rows_in_int32(channels: int, stride: Pair) -> None:
    """(4 * 2 + 3) columns and 3 rows of 2 filters."""
    assert sizes(channels, stride) == [[11 * 3 * 2 * 4, 0]] * 3
