"""Convolutions that are computed at points stay exact at the ends of their number ranges."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array
from arenite.native.program import available_isas
from tests.native.convolutions import check, convolution, largest_sum

#: By stride: values of three weights, and of the inputs that they meet, at the points.
OF_WEIGHTS = {
    1: np.array([[1, 0, 0], [1, 1, 1], [1, -1, 1], [1, 2, 4], [1, -2, 4], [0, 0, 1]]),
    2: np.array([[1, 0, 0], [1, 0, 1], [1, 0, -1], [1, 0, 2], [0, 0, 1], [0, 1, 0]]),
}
SIX = [
    [4, 0, -5, 0, 1, 0],
    [0, -4, -4, 1, 1, 0],
    [0, 4, -4, -1, 1, 0],
    [0, -2, -1, 2, 1, 0],
    [0, 2, -1, -2, 1, 0],
    [0, 4, 0, -5, 0, 1],
]
FIVE = [
    [2, -1, -2, 1, 0],
    [0, -2, -1, 1, 0],
    [0, 2, -3, 1, 0],
    [0, -1, 0, 1, 0],
    [0, 2, -1, -2, 1],
]


def every_other(rows: Any, first: int) -> Array:
    """Rows of nine, zero but for every second element."""
    wide = np.zeros((len(rows), 10 + first), int)
    wide[:, first : first + 10 : 2] = rows
    return wide[:, :9]


OF_INPUTS = {
    1: np.array(SIX),
    2: np.concatenate([every_other(FIVE, 0), every_other(FIVE[:4], 1)]),
}


def extremes(matrix: Array) -> Array:
    """The int8 images, one per pair of points, whose values there are the largest."""
    signs = np.einsum("iy,jx->ijyx", matrix, matrix).reshape(-1, *[matrix.shape[1]] * 2)
    return np.where(signs > 0, 127, -128).astype(np.int8)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("depth", [16, 18, 114])
def test_largest_values_at_every_point(isa: str, stride: int, depth: int) -> None:
    inputs, weights = extremes(OF_INPUTS[stride]), extremes(OF_WEIGHTS[stride])
    x, w = (np.concatenate([a, ~a])[..., None].repeat(depth, 3) for a in (inputs, weights))
    x = np.concatenate([x, x], 1)  # a second tile below the first
    check(isa, x, convolution(x, w, stride, largest_sum(w) / 128, padding=1))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize(("stride", "depth"), [(1, 114), (1, 116), (2, 1840), (2, 1850)])
@pytest.mark.parametrize("weight", [-127, 127])
def test_largest_sums(isa: str, stride: int, depth: int, weight: int) -> None:
    """Those of 116 channels take more than 26 bits, those of 1850 more than 30."""
    x = np.full((1, 17, 17, depth), 127, np.int8)
    weights = np.full((16, 3, 3, depth), weight, np.int8)
    check(isa, x, convolution(x, weights, stride, largest_sum(weights) / 128, padding=1))
