"""Channels of one multiplier share the line that was found for those before, bit for bit."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array
from arenite.native.program import available_isas
from tests.native.convolutions import check, convolution, largest_sum

CHANNELS, DEPTH = 80, 24


def images() -> Array:
    x = np.random.default_rng(0).integers(-128, 128, (1, 9, 9, DEPTH))
    x[0, 0], x[0, 1] = -128, 127
    return x.astype(np.int8)


def filters(seed: int) -> Array:
    w = np.random.default_rng(seed).integers(-127, 128, (CHANNELS, 1, 1, DEPTH))
    w[::7] //= 40  # whose sums lie within those of others
    return w.astype(np.int8)


BIASES = {
    "none": np.zeros(CHANNELS),
    "ever larger": np.arange(CHANNELS) * 4000,
    "ever smaller": np.arange(CHANNELS) * -4000,
    "by turns": np.where(np.arange(CHANNELS) % 2, 300_000, -300_000),
    "of one sign, then of both": np.linspace(9e6, -9e6, CHANNELS),
    "beyond float32": np.linspace(0, 2**30, CHANNELS),
}


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("bias", BIASES.values(), ids=list(BIASES))
@pytest.mark.parametrize("seed", range(6))
def test_channels_of_one_multiplier(seed: int, bias: Array, isa: str) -> None:
    w = filters(seed)
    steps = np.random.default_rng(seed).uniform(40, 3000)
    scale = max(2 * largest_sum(w) / steps, 2.01)
    check(isa, images(), convolution(images(), w, 1, scale, bias=bias.astype(np.int64)))
