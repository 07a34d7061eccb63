"""Which int4 weights a depthwise convolution takes, by hand."""

import numpy as np

from arenite.libraries.cmsis_nn.decisions.nibbles import weights_taken
from arenite.libraries.shapes import ConvShape, Dims, Pair


def conv(channels: int, by: int, *, taps: int = 2, padding: int = 0) -> ConvShape:
    """A line of 3 pixels under ``taps`` taps."""
    outputs = 3 + padding - taps + 1
    return ConvShape(
        input=Dims(2, 1, 3, channels),
        filter=Dims(1, 1, taps, channels * by),
        output=Dims(2, 1, outputs, channels * by),
        padding=Pair(0, padding),
        ch_mult=by,
    )


def test_one_channel_takes_neighbours_for_taps() -> None:
    taken = weights_taken(conv(1, 2))
    # Tap by tap the low and the high half, one byte for both channels; the second begins high.
    np.testing.assert_array_equal(taken.places, [[[0, 1], [1, 2]]])


def test_three_channels_have_their_own_weights_in_whole_windows_of_two_taps() -> None:
    taken = weights_taken(conv(3, 1))
    np.testing.assert_array_equal(taken.places, [[[0, 1, 2], [3, 4, 5]]])


def test_a_tap_beside_the_image_changes_what_the_others_take() -> None:
    taken = weights_taken(conv(3, 1, padding=1))
    np.testing.assert_array_equal(taken.kinds, [[0, 1, 1]])
    np.testing.assert_array_equal(taken.places[0], [[-1, -1, -1], [2, 2, 4]])
