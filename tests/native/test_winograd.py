"""Convolutions that are computed at points stay exact at the ends of their number ranges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arenite.model import Model, ModelBuilder
from arenite.ops.conv_2d import Conv2DOptions
from arenite.runtime.heap import HeapInterpreter

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from arenite.runtime.compiled import CompiledSubgraph

Array = np.ndarray[Any, Any]

#: Values of three weights, and of six inputs, at the points 0, 1, -1, 2, -2 and infinity.
OF_WEIGHTS = np.array([[1, 0, 0], [1, 1, 1], [1, -1, 1], [1, 2, 4], [1, -2, 4], [0, 0, 1]])
OF_INPUTS = np.array(
    [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ]
)


def convolution(x: Array, weights: Array, largest: float) -> Model:
    """Images from -128, which counts as zero, and sums up to ``largest``."""
    b = ModelBuilder()
    filters, height, width, _ = weights.shape
    size = x.shape[0], x.shape[1] - height + 1, x.shape[2] - width + 1, filters
    image = b.input("x", x.shape, "int8", scale=1.0, zero_point=-128)
    w = b.constant("w", weights, scale=1.0)
    y = b.tensor("y", size, "int8", scale=largest / 128)
    b.operator("CONV_2D", [image, w], [y], Conv2DOptions(1, 1, 1))
    b.output(y)
    return b.build()


def extremes(matrix: Array) -> Array:
    """The int8 images, one per pair of points, whose values there are the largest."""
    signs = np.einsum("iy,jx->ijyx", matrix, matrix).reshape(36, *[matrix.shape[1]] * 2)
    return np.where(signs > 0, 127, -128).astype(np.int8)


def check(isa: str, x: Array, weights: Array) -> None:
    largest = 255.0 * np.abs(weights.astype(int)).sum((1, 2, 3)).max()
    model = convolution(x, weights, largest)
    reference, native = HeapInterpreter(model), HeapInterpreter(model)
    for interpreter in (reference, native):
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = x
    reference.invoke()
    compiled = CompiledSubgraph(native._graph, isa)
    assert compiled.kernel(0) != "python"
    compiled.invoke()
    np.testing.assert_array_equal(native.output(0), reference.output(0))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("depth", [16, 18, 114])
def test_largest_values_at_every_point(isa: str, depth: int) -> None:
    x = np.concatenate([extremes(OF_INPUTS), ~extremes(OF_INPUTS)])
    weights = np.concatenate([extremes(OF_WEIGHTS), ~extremes(OF_WEIGHTS)])
    check(isa, *(np.repeat(a[..., None], depth, 3) for a in (x, weights)))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("depth", [114, 116])
@pytest.mark.parametrize("weight", [-127, 127])
def test_largest_sums(isa: str, depth: int, weight: int) -> None:
    """Those of 116 channels take more than 26 bits."""
    x = np.full((1, 8, 8, depth), 127, np.int8)
    check(isa, x, np.full((17, 3, 3, depth), weight, np.int8))
