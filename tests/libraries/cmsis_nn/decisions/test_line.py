"""Where vectors find int4 weights along a line, and which positions they multiply in twos."""

import numpy as np
import pytest

from arenite.libraries.cmsis_nn.decisions.line import first_weights, left_over
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, Dims, Pair


def line(channels: int, images: int = 1) -> ConvShape:
    """12 pixels under 5 taps, 4 apart, with a padding of 1 at the left."""
    return ConvShape(
        input=Dims(images, 1, 12, channels),
        filter=Dims(1, 1, 5, channels),
        output=Dims(images, 1, 3, 3),
        stride=Pair(1, 4),
        padding=Pair(0, 1),
    )


def test_filters_of_an_odd_size_begin_one_weight_early_at_the_ends() -> None:
    # At the left one weight is left out of each: the first is in a high half, the second in a low
    # one, and so on.
    np.testing.assert_array_equal(first_weights(line(1)), [[-1, 3, 9], [0, 5, 10], [0, 4, 10]])


def test_even_channels_begin_where_they_are() -> None:
    np.testing.assert_array_equal(first_weights(line(2)), [[0, 10, 20]] * 3)


@pytest.mark.parametrize(
    ("function", "positions"),
    [
        ("arm_convolve_1x1_s4_fast", [12, 13]),
        ("arm_convolve_1x1_s4", []),
        ("arm_convolve_s4", [4, 5, 6, 11, 12, 13]),
        ("arm_convolve_even_s4", [4, 5, 6, 11, 12, 13]),
    ],
)
def test_what_is_left_over_depends_on_who_counts(function: str, positions: list[int]) -> None:
    conv = ConvShape(input=Dims(2, 7, 1, 3), filter=Dims(1, 1, 1, 3), output=Dims(2, 7, 1, 2))
    assert left_over(conv, Path(function)).tolist() == positions
