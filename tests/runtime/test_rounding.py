"""``rounding="single"``: a product with a quantised multiplier is rounded once."""

from collections.abc import Callable

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.runtime.interpreter_config import Engine

TWICE, ONCE = ar.Target("cortex-m4"), ar.Target("cortex-m4", rounding="single")
ENGINES: list[Engine] = ["reference", "auto"]


def quantize() -> Model:
    """Steps of 1 become steps of 8."""
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "int8", scale=1.0), b.tensor("y", (1, 4), "int8", scale=8.0)
    b.operator("QUANTIZE", [x], [y])
    b.output(y)
    return b.build()


def dense() -> Model:
    """Four units, each of one input; sums become eighths."""
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=1.0)
    w = b.constant("w", np.eye(4, dtype=np.int8), scale=1.0)
    y = b.tensor("y", (1, 4), "int8", scale=8.0)
    b.operator("FULLY_CONNECTED", [x, w], [y], FullyConnectedOptions())
    b.output(y)
    return b.build()


def outputs(model: Model, target: ar.Target, engine: Engine, x: list[int]) -> list[int]:
    interp = ar.Interpreter(model, target=target, engine=engine)
    got: list[int] = interp(np.array([x], np.int8)).ravel().tolist()
    return got


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", [quantize, dense])
def test_three_eighths_are_0_at_once_and_1_in_two_steps(
    model: Callable[[], Model], engine: Engine
) -> None:
    """3 / 2 rounds to 2, and 2 / 4 to 1; -3 / 2 to -1, and -1 / 4 to 0."""
    assert outputs(model(), TWICE, engine, [3, -3, 4, -4]) == [1, 0, 1, -1]
    assert outputs(model(), ONCE, engine, [3, -3, 4, -4]) == [0, 0, 1, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_halves_between_pixels_go_up(engine: Engine) -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1, 2, 1), "int8", scale=1.0)
    size = b.constant("size", np.array([1, 4], np.int32))
    y = b.tensor("y", (1, 1, 4, 1), "int8", scale=1.0)
    b.operator("RESIZE_BILINEAR", [x, size], [y], ResizeBilinearOptions())
    b.output(y)
    model = b.build()
    image = np.array([-3, 0], np.int8).reshape(1, 1, 2, 1)
    middle = [
        int(ar.Interpreter(model, target=target, engine=engine)(image)[0, 0, 1, 0])
        for target in (TWICE, ONCE)
    ]
    assert middle == [-2, -1]
