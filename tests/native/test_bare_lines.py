"""Sums that start from a float's bits stay exact at the ends of what such floats hold."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array
from arenite.native.program import available_isas
from tests.native.convolutions import check, convolution, largest_sum

NONE, RELU = 0, 1
#: Sums of so many products reach 2^22, 2^23 and 2^24, and stay just below.
DEPTHS = [1, 64, 129, 130, 258, 260, 517, 519]


def images(depth: int, seed: int) -> Array:
    """All pixels at one end of int8, halves at either end, and between them."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-128, 128, (1, 5, 6, depth))
    x[0, 0, 0], x[0, 0, 1] = -128, 127
    x[0, 0, 2] = np.where(np.arange(depth) % 2, 127, -128)
    x[0, 0, 3] = np.where(np.arange(depth) % 2, -128, 127)
    return x.astype(np.int8)


def filters(depth: int, count: int, seed: int) -> Array:
    """Of one sign, of both by turns, of few values, all zero."""
    rng = np.random.default_rng(seed)
    w = rng.integers(-127, 128, (count, 1, 1, depth))
    w[0], w[1], w[3] = 127, -127, 0
    w[2, 0, 0] = np.where(np.arange(depth) % 2, 127, -127)
    return w.astype(np.int8)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("activation", [NONE, RELU])
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("outputs", [3.0, 255.0, 4000.0, 70000.0])
def test_sums_and_outputs_of_any_size(
    outputs: float, depth: int, activation: int, isa: str
) -> None:
    """``outputs``: so many steps of the output lie between the extreme sums."""
    x, w = images(depth, depth), filters(depth, 40, depth)
    scale = max(2 * largest_sum(w) / outputs, 2.01)
    bias = np.random.default_rng(1).integers(-9999, 9999, len(w))
    check(isa, x, convolution(x, w, 1, scale, bias=bias, activation=activation))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("bias", [-(2**31), -(2**23), -(2**22), 2**22, 2**23, 2**31 - 1])
def test_biases_that_leave_the_range(bias: int, isa: str) -> None:
    x, w = images(16, 0), filters(16, 16, 0)
    biases = np.zeros(len(w), np.int64)
    biases[5] = bias
    check(isa, x, convolution(x, w, 1, 2000.0, bias=biases, activation=RELU))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("activation", [NONE, RELU])
@pytest.mark.parametrize("scale", [2.0**24, 2.0**28, 2.0**31, 2.0**40])
def test_channels_that_have_one_output_whatever_the_input(
    scale: float, activation: int, isa: str
) -> None:
    """Filters of nothing and of little, whose biases decide: between them stand others."""
    x, w = images(16, 3), filters(16, 70, 3)
    w[20:24] = 1
    biases = np.random.default_rng(3).integers(-9999, 9999, len(w))
    biases[::5], biases[1::5] = 2**30 + np.arange(14), -(2**30) - np.arange(14)
    check(isa, x, convolution(x, w, 1, scale, bias=biases, activation=activation))


@pytest.mark.parametrize("isa", available_isas())
def test_a_block_without_lines_beside_others(isa: str) -> None:
    """A channel in the middle of four blocks reaches sums that no float line takes."""
    x, w = images(16, 4), filters(16, 64, 4)
    biases = np.random.default_rng(4).integers(-9999, 9999, len(w))
    biases[37] = 2**24 + 12345
    check(isa, x, convolution(x, w, 1, 2.0**17 + 0.3, bias=biases))


def all_pairs() -> Array:
    """An image with every pair of numbers."""
    numbers = np.arange(-128, 128)
    return np.stack(np.meshgrid(numbers, numbers), -1)[None].astype(np.int8)


def steps_of_channels(count: int, rng: np.random.Generator) -> Array:
    """Units of a sum that an output step takes: of all sizes, powers of two, and little more."""
    steps = np.exp(rng.uniform(np.log(2.01), np.log(9000.0), count))
    steps[::8] = 2.0 ** rng.integers(2, 12, len(steps[::8]))
    steps[1::8] = np.nextafter(np.float32(2.0 ** rng.integers(2, 12, len(steps[1::8]))), 1e9)
    return steps


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("activation", [NONE, RELU])
@pytest.mark.parametrize("seed", range(4))
def test_every_sum_that_a_line_is_for(seed: int, activation: int, isa: str) -> None:
    """Sums of 127 times one number and another take every value between the extreme ones."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], (64, 2))
    w = (signs * [127, 1]).reshape(64, 1, 1, 2).astype(np.int8)
    bias = rng.integers(-33_000, 33_000, len(w)) * rng.choice([0, 1, 100], len(w))
    scales = (1.0 / steps_of_channels(len(w), rng)).tolist()
    model = convolution(all_pairs(), w, 1, 1.0, bias=bias, activation=activation, of_filters=scales)
    check(isa, all_pairs(), model)
