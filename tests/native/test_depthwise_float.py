"""3x3 depthwise convolutions of floats, whose border may be left out: as near as a plain sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Model, ModelBuilder
from arenite.native.program import available_isas
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from tests.native.convolutions import outputs

Array = np.ndarray[Any, Any]

SAME, VALID, RELU6 = 0, 1, 3
#: Whole registers of every instruction set, some of them, and parts.
CHANNELS = (4, 16, 20, 64)
MOST = 10

each_isa = pytest.mark.parametrize("isa", available_isas())


def depthwise(x: Array, weights: Array, stride: int, padding: int, activation: int = 0) -> Model:
    b = ModelBuilder()
    channels = x.shape[3]
    bias = np.linspace(-1, 1, channels).astype(np.float32)
    inputs = [b.input("x", x.shape, "float32"), b.constant("w", weights), b.constant("b", bias)]
    size = [-(-(n - 2 * padding) // stride) for n in x.shape[1:3]]
    y = b.tensor("y", (x.shape[0], *size, channels), "float32")
    options = DepthwiseConv2DOptions(padding, stride, stride, 1, activation)
    b.operator("DEPTHWISE_CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


def image(rows: int, columns: int, channels: int) -> tuple[Array, Array]:
    rng = np.random.default_rng([rows, columns, channels])
    x = rng.normal(size=(2, rows, columns, channels)).astype(np.float32)
    return x, rng.normal(size=(1, 3, 3, channels)).astype(np.float32)


@each_isa
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("stride", [1, 2])
def test_every_width_and_height_is_near_the_reference(
    isa: str, stride: int, padding: int, channels: int
) -> None:
    least = 3 if padding == VALID else 1
    for rows, columns in zip(range(least, MOST), np.roll(range(least, MOST), 3), strict=True):
        x, weights = image(rows, int(columns), channels)
        y, expected = outputs(isa, x, depthwise(x, weights, stride, padding))
        where = f"{rows} rows, {columns} columns"
        atol = 2e-6 * np.abs(expected).max()
        np.testing.assert_allclose(y, expected, rtol=0, atol=atol, err_msg=where)


@each_isa
@pytest.mark.parametrize("stride", [1, 2])
def test_an_activation_bounds_the_edges_too(isa: str, stride: int) -> None:
    x, weights = image(6, 6, 16)
    y, expected = outputs(isa, 9 * x, depthwise(x, weights, stride, SAME, RELU6))
    assert y.min() == 0
    assert y.max() == 6
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5)


@each_isa
@pytest.mark.parametrize("stride", [1, 2])
def test_what_is_no_number_reaches_its_neighbours_and_nobody_else(isa: str, stride: int) -> None:
    x, weights = image(8, 8, 16)
    x[0, 0, 7, 3] = np.nan
    with np.errstate(invalid="ignore"):
        y, expected = outputs(isa, x, depthwise(x, weights, stride, SAME))
    assert np.isnan(y).any()
    assert np.array_equal(np.isnan(y), np.isnan(expected))
