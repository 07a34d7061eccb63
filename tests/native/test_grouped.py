"""Products whose sums are kept in int16 stay exact, whichever weights are grouped."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from tests.native.convolutions import check, convolution, largest_sum

#: Filter size, stride, input channels, filters, rows and columns of the input.
SHAPES = {
    "one position": (1, 1, 64, 16, 1, 1),
    "a rest of channels and filters": (1, 1, 39, 21, 5, 7),
    "rows of taps": (3, 2, 7, 17, 9, 8),
}


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rare", [0.0, 0.002, 0.02])
@pytest.mark.parametrize("size", [1, 8, 30])
def test_small_weights_and_rare_large_ones(isa: str, shape: str, rare: float, size: int) -> None:
    taps, stride, depth, filters, rows, columns = SHAPES[shape]
    rng = np.random.default_rng(size)
    weights = rng.integers(-size, size, (filters, taps, taps, depth), np.int8, endpoint=True)
    large = rng.random(weights.shape) < rare
    weights[large] = rng.choice(np.array([-128, 127], np.int8), large.sum())
    x = rng.choice(np.array([-128, -7, 127], np.int8), (6, rows, columns, depth))
    x[1] = 127
    check(isa, x, convolution(x, weights, stride, largest_sum(weights) / 1024))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("dwords", [1, 2, 4])
@pytest.mark.parametrize("total", [127, 128, 129, 140])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_at_the_ends_of_int16(isa: str, dwords: int, total: int, sign: int) -> None:
    """Some lanes have ``total`` in the pairs that a group of ``dwords`` adds up, others none."""
    weights = np.zeros((16, 16, 4), np.int8)
    parts = np.full(2 * dwords, total // (2 * dwords))
    parts[0] += total - parts.sum()
    for first in range(0, 4, dwords):
        weights[::3, first : first + dwords, 0] = sign * parts[:dwords]
        weights[::3, first : first + dwords, 1] = sign * parts[dwords:]
    weights[1, :, 2] = 1
    x = np.full((1, 2, 3, 64), 127, np.int8)
    sums = 255 * weights.astype(int).sum((1, 2))
    check(isa, x, convolution(x, weights.reshape(16, 1, 1, 64), 1, 1.0, bias=1 - sums))
