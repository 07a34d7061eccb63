"""MNN_TRANSPOSE_CONV: transposed convolutions with dilation and groups."""

import numpy as np

from arenite.mnn.operators.transpose_conv import MnnTransposeConvOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def transposed(
    image: list[list[float]],
    weights: Array,
    options: MnnTransposeConvOptions,
    *bias: Array,
) -> list[list[float]]:
    """A row of pixels, with their channels, convolved."""
    x = np.float32(image)[None, None]
    filters = weights.shape[0] * weights.shape[4]
    output = Fed((1, *options.output, filters))
    operator = single("TRANSPOSE_CONV", [Fed(x.shape), weights, *bias], output, options)
    (y,) = outputs_of(operator, x)
    return [[float(n) for n in pixel] for pixel in y[0, 0]]


#: One group with a filter of two taps.
TAPS = np.float32([1, 10]).reshape(1, 1, 2, 1, 1)


def test_every_pixel_adds_the_filter() -> None:
    options = MnnTransposeConvOptions((1, 3))
    assert transposed([[2], [3]], TAPS, options) == [[2], [23], [30]]


def test_a_stride_moves_pixels_apart() -> None:
    options = MnnTransposeConvOptions((1, 4), stride=(1, 2))
    assert transposed([[2], [3]], TAPS, options) == [[2], [20], [3], [30]]


def test_dilation_moves_taps_apart() -> None:
    options = MnnTransposeConvOptions((1, 3), dilation=(1, 2))
    assert transposed([[3]], TAPS, options) == [[3], [0], [30]]


def test_padding_is_cut_off_in_front() -> None:
    options = MnnTransposeConvOptions((1, 2), padding=(0, 1))
    assert transposed([[2], [3]], TAPS, options) == [[23], [30]]


def test_channels_are_summed_for_every_filter() -> None:
    weights = np.float32([[1, 2, 3], [10, 20, 30]]).reshape(1, 1, 1, 2, 3)
    options = MnnTransposeConvOptions((1, 1))
    assert transposed([[1, 2]], weights, options) == [[21, 42, 63]]


def test_groups_see_their_own_channels() -> None:
    weights = np.float32([2, 3]).reshape(2, 1, 1, 1, 1)
    options = MnnTransposeConvOptions((1, 1))
    assert transposed([[10, 20]], weights, options) == [[20, 60]]


def test_a_bias_is_added_and_the_sum_is_clamped() -> None:
    weights = np.float32([2, 3]).reshape(1, 1, 1, 1, 2)
    options = MnnTransposeConvOptions((1, 1), low=0.0, high=6.0)
    assert transposed([[1]], weights, options, np.float32([-5, 100])) == [[0, 6]]


def test_infinities_of_both_signs_are_no_number_and_no_warning() -> None:
    weights = np.float32([np.inf, -np.inf]).reshape(1, 1, 1, 2, 1)
    ((y,),) = transposed([[1, 1]], weights, MnnTransposeConvOptions((1, 1)))
    assert np.isnan(y)
