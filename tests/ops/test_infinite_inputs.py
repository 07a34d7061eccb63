"""Infinite inputs: only outputs that have them in their windows know of them, as in TFLM."""

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from tests.ops.differential import agrees, one_operator
from tests.oracle import Oracle
from tests.variants import interpreter, variants

COLUMNS, DEPTH = 16, 40
#: No activation clamps at the type's largest number.
MAX = np.finfo(np.float32).max
SPECIAL = [np.inf, -np.inf, np.nan]


def layer(name: str, filters: int) -> Model:
    """Every column by itself; all weights are 1."""
    b = ar.ModelBuilder()
    image = name == "CONV_2D"
    x = b.input("x", (1, 1, COLUMNS, DEPTH) if image else (COLUMNS, DEPTH), "float32")
    shape = (filters, 1, 1, DEPTH) if image else (filters, DEPTH)
    w = b.constant("w", np.ones(shape, np.float32))
    y = b.tensor("y", (1, 1, COLUMNS, filters) if image else (COLUMNS, filters), "float32")
    options = Conv2DOptions(stride_w=1, stride_h=1) if image else FullyConnectedOptions()
    return one_operator(b, name, [x, w, -1], [y], options)


def special(model: Model, value: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Ones, and ``value`` in the column before the last."""
    x = np.ones((COLUMNS, DEPTH), np.float32)
    x[-2, 3] = value
    return x.reshape(model.inputs[0].shape)


@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("filters", [2, 4, 8])
@pytest.mark.parametrize("name", ["CONV_2D", "FULLY_CONNECTED"])
def test_neighbours_stay_finite(name: str, filters: int, value: float, variant: str) -> None:
    model = layer(name, filters)
    y = np.asarray(interpreter(model, variant)(special(model, value))).reshape(COLUMNS, filters)
    expected = np.full((COLUMNS, filters), DEPTH, np.float32)
    expected[-2] = np.clip(value, -MAX, MAX)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("name", ["CONV_2D", "FULLY_CONNECTED"])
def test_equals_tflm(name: str, value: float, oracle: Oracle) -> None:
    model = layer(name, 8)
    agrees(oracle, model, 1, inputs=[special(model, value)])


def test_the_next_inference_is_native_again() -> None:
    """One sample out of three has an infinity; all are right, through one compiled loop."""
    model = layer("CONV_2D", 2)
    x = np.stack([special(model, value) for value in (1.0, np.inf, 2.0)])
    y = np.asarray(ar.Interpreter(model).predict(x)).reshape(3, COLUMNS, 2)
    assert (y[0] == DEPTH).all()
    assert (y[1] == MAX).sum() == 2
    assert (y[2, -2] == DEPTH + 1).all()
