"""Infinite weights beside the image: taps that lie there are left out, as TFLM does."""

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.runtime.interpreter_config import Engine
from tests.ops.differential import agrees, one_operator
from tests.oracle import Oracle

SAME = 0


def convolution(name: str) -> Model:
    """A 3x3 convolution of 4 by 5 pixels, 2 channels; the first tap alone is infinite."""
    weights = np.ones((2, 3, 3, 2) if name == "CONV_2D" else (1, 3, 3, 2), np.float32)
    weights[0, 0, 0, 0] = np.inf
    b = ModelBuilder()
    x, w = b.input("x", (1, 4, 5, 2), "float32"), b.constant("w", weights)
    y = b.tensor("y", (1, 4, 5, 2), "float32")
    options = (
        Conv2DOptions(SAME, 1, 1) if name == "CONV_2D" else DepthwiseConv2DOptions(SAME, 1, 1, 1)
    )
    return one_operator(b, name, [x, w, -1], [y], options)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("name", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_the_first_row_and_column_are_small(name: str, engine: Engine) -> None:
    y = ar.Interpreter(convolution(name), engine=engine)(np.ones((1, 4, 5, 2), np.float32))
    assert isinstance(y, np.ndarray)
    assert (y[:, 0] < 100).all()
    assert (y[:, :, 0] < 100).all()
    assert (y[0, 1:, 1:, 0] > 3e38).all()


@pytest.mark.parametrize("name", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_equals_tflm(name: str, oracle: Oracle) -> None:
    agrees(oracle, convolution(name), 1, inputs=[np.ones((1, 4, 5, 2), np.float32)])
