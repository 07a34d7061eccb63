"""Sums of products: their ends, at borders, in groups; and outputs where nothing wraps."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, quantize_multiplier
from arenite.ops.shared.convolution import ConvolutionParams
from arenite.ops.shared.window import Window
from arenite.optimize._intervals import Interval
from arenite.optimize._sums import dense_sums, depthwise_sums, is_odd_line, outputs_of, taps_of

SAME_3 = Window((4, 5), (3, 3), (1, 1), (1, 1), (1, 1))
VALID_3 = Window((2, 3), (3, 3), (1, 1), (1, 1), (0, 0))
IMAGE = (4, 5)


def sums_at_all_positions(x, weights, window):
    """A dense convolution of one image ``(h, w, c)``, tap by tap."""
    out = np.zeros((*window.output_size, len(weights)), np.int64)
    for oy, ox, ky, kx in product(*map(range, (*window.output_size, *window.filter_size))):
        y = oy * window.stride[0] - window.padding[0] + ky * window.dilation[0]
        z = ox * window.stride[1] - window.padding[1] + kx * window.dilation[1]
        if 0 <= y < x.shape[0] and 0 <= z < x.shape[1]:
            out[oy, ox] += weights[:, ky, kx].astype(np.int64) @ x[y, z]
    return out.reshape(-1, len(weights))


def test_taps_of_a_valid_window_are_always_inside():
    taps = taps_of(VALID_3, IMAGE)
    assert taps.always.all()
    assert not taps.sometimes.any()


def test_of_a_same_window_only_the_middle_is_always_inside():
    taps = taps_of(SAME_3, IMAGE)
    assert np.argwhere(taps.always).tolist() == [[1, 1]]
    assert taps.sometimes.sum() == 8


def test_taps_that_never_meet_the_image_are_neither():
    taps = taps_of(Window((1, 1), (3, 3), (1, 1), (1, 1), (1, 1)), (1, 1))
    assert np.argwhere(taps.always).tolist() == [[1, 1]]
    assert not taps.sometimes.any()


@pytest.mark.parametrize(
    ("size", "taps", "stride", "is_odd"),
    [
        ((1, 9), (1, 3), 1, False),
        ((1, 9), (1, 3), 2, True),
        ((1, 2), (1, 3), 1, True),
        ((1, 9), (1, 1), 2, False),
        ((2, 9), (1, 3), 2, False),
        ((1, 9), (3, 3), 2, False),
    ],
)
def test_lines_with_steps_or_longer_filters_are_odd(size, taps, stride, is_odd):
    window = Window((1, 5), taps, (1, stride), (1, 1), (0, 0))
    assert is_odd_line(window, size) is is_odd


@pytest.mark.parametrize("seed", range(20))
def test_sums_lie_between_the_ends(seed):
    rng = np.random.default_rng(seed)
    stride, dilation = rng.integers(1, 3, 2), rng.integers(1, 3, 2)
    padding = rng.integers(0, 3, 2)
    window = Window((3, 2), (3, 2), tuple(stride), tuple(dilation), tuple(padding))
    weights = rng.integers(-128, 128, (4, 3, 2, 3))
    low = rng.integers(-255, 255, 3)
    inputs = Interval(low, low + rng.integers(0, 20, 3))
    found = dense_sums(weights, taps_of(window, IMAGE), 1, inputs)
    for _ in range(20):
        x = rng.integers(inputs.low, inputs.high + 1, (*IMAGE, 3))
        sums = sums_at_all_positions(x, weights, window)
        assert (sums >= found.low).all()
        assert (sums <= found.high).all()


def test_without_padding_the_ends_are_reached():
    rng = np.random.default_rng(1)
    weights = rng.integers(-128, 128, (1, 3, 3, 2))
    inputs = Interval(np.array([-7, 3]), np.array([90, 4]))
    found = dense_sums(weights, taps_of(VALID_3, IMAGE), 1, inputs)
    x = np.zeros((*IMAGE, 2), np.int64)
    x[:3, :3] = np.where(weights[0] > 0, inputs.low, inputs.high)
    assert sums_at_all_positions(x, weights, VALID_3)[0, 0] == found.low[0]
    x[:3, :3] = np.where(weights[0] > 0, inputs.high, inputs.low)
    assert sums_at_all_positions(x, weights, VALID_3)[0, 0] == found.high[0]


def test_groups_see_their_own_inputs():
    weights = np.array([1, 2, 3, 4]).reshape(4, 1, 1, 1)
    taps = taps_of(Window((1, 1), (1, 1), (1, 1), (1, 1), (0, 0)), (1, 1))
    inputs = Interval(np.array([0, 10]), np.array([1, 20]))
    low, high = dense_sums(weights, taps, 2, inputs)
    assert (low.tolist(), high.tolist()) == ([0, 0, 30, 40], [1, 2, 60, 80])


def test_a_depthwise_filter_sees_its_own_input():
    weights = np.zeros((1, 3, 3, 2), np.int64)
    weights[0, 0, 0], weights[0, 1, 1] = (1, -1), (2, 2)
    low, high = depthwise_sums(
        weights, taps_of(SAME_3, IMAGE), Interval(*np.array([[3, 3], [5, 5]]))
    )
    # The corner may be padding, whose product is 0; the middle is not.
    assert (low.tolist(), high.tolist()) == ([6, 1], [15, 10])


def params(real: float, low: int = -128, **others: object) -> ConvolutionParams:
    multiplier, shift = quantize_multiplier(real)
    found = ConvolutionParams(
        input_offset=0,
        output_offset=-5,
        multiplier=np.array([multiplier]),
        shift=np.array([shift]),
        activation_min=low,
        activation_max=127,
        accumulates_64_bits=False,
    )
    return replace(found, **others)


def ends_of(given: ConvolutionParams, low: int, high: int, dtype: type = np.int8) -> list[int]:
    found = outputs_of(given, Interval(np.array([low]), np.array([high])), np.dtype(dtype))
    return [int(end[0]) for end in found]


@pytest.mark.parametrize("real", [1.0, 0.3, 0.0004, 3.7])
def test_outputs_of_ends_are_ends_of_outputs(real):
    sums = np.arange(-40, 60)
    given = params(real)
    every = multiply_by_quantized_multiplier(sums, given.multiplier, given.shift) - 5
    every = every.clip(-128, 127)
    assert ends_of(given, -40, 59) == [every.min(), every.max()]


def test_a_sum_beyond_32_bits_gives_all_that_the_activation_lets_through():
    assert ends_of(params(0.001, low=-5), -4, 2**31) == [-5, 127]


def test_a_result_beyond_32_bits_gives_all_too():
    assert ends_of(params(3.7), -4, 2**30) == [-128, 127]


def test_a_negative_multiplier_gives_all():
    assert ends_of(params(-0.3), -4, 4) == [-128, 127]


def test_a_range_of_the_activation_that_is_no_range_gives_all_of_the_type():
    assert ends_of(params(0.3, low=300), -4, 4) == [-128, 127]


def test_int16_is_both_ways_of_rounding():
    # 25,004 * 0.6 = 15,002.4; with 16 bits 0.6 is 0.600006, and the product 15,002.55.
    given = params(0.6, low=-32768, activation_max=32767, accumulates_64_bits=True)
    assert ends_of(given, 25004, 25004, np.int16) == [15002 - 5, 15003 - 5]
