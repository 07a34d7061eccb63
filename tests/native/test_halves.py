"""Sums in the middle between two outputs go where the reference's two roundings take them."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import ModelBuilder
from arenite.native.program import available_isas
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from tests.native.convolutions import check, convolution

NO_ACTIVATION, RELU, RELU6 = 0, 1, 3


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("activation", [NO_ACTIVATION, RELU, RELU6])
@pytest.mark.parametrize("scale", [2.0, 64.0, 2.0**12, 300.0])
def test_halves_of_either_sign(isa: str, activation: int, scale: float) -> None:
    x = np.arange(-128, 128).astype(np.int8).reshape(1, 16, 16, 1)
    weights = np.linspace(-127, 127, 40).astype(np.int8).reshape(40, 1, 1, 1)
    bias = np.arange(-20, 20) * int(scale) // 2
    check(isa, x, convolution(x, weights, 1, scale, bias=bias, activation=activation))


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("activation", [NO_ACTIVATION, RELU])
@pytest.mark.parametrize("taps", [(3, 3), (5, 2)])
def test_halves_of_depthwise_sums(isa: str, activation: int, taps: tuple[int, int]) -> None:
    rng = np.random.default_rng(taps[0])
    b = ModelBuilder()
    inputs = [
        b.input("x", (1, 9, 9, 24), "int8", scale=1.0, zero_point=-128),
        b.constant("w", rng.integers(-3, 4, (1, *taps, 24), np.int8), scale=1.0),
        b.constant("b", np.arange(-12, 12, dtype=np.int32) * 128, scale=1.0),
    ]
    y = b.tensor("y", (1, 10 - taps[0], 10 - taps[1], 24), "int8", scale=16.0)
    b.operator("DEPTHWISE_CONV_2D", inputs, [y], DepthwiseConv2DOptions(1, 1, 1, 1, activation))
    b.output(y)
    check(isa, rng.integers(-128, 128, (1, 9, 9, 24), np.int8), b.build())
