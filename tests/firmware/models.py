"""Small int8 models for the tests of firmware."""

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.add import REGISTRATION as ADD
from arenite.ops.tflite.softmax import SoftmaxOptions


def residual(seed: int = 0) -> Model:
    """int8 [1,6] -> two layers of 6 units, the first added to the second's, a ReLU."""
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    x = b.input("x", (1, 6), "int8", scale=0.05, zero_point=3)
    first = dense(b, rng, x, "first")
    second = dense(b, rng, first, "second")
    total = b.tensor("sum", (1, 6), "int8", scale=0.1, zero_point=-5)
    assert ADD.options is not None
    b.operator("ADD", [second, first], [total], ADD.options())
    out = b.tensor("out", (1, 6), "int8", scale=0.1, zero_point=-128)
    b.operator("RELU", [total], [out])
    b.output(out)
    return b.build()


def dense(b: ModelBuilder, rng: np.random.Generator, x: int, name: str) -> int:
    """A FULLY_CONNECTED from 6 to 6 units."""
    weights = b.constant(f"{name}_w", rng.integers(-127, 128, (6, 6), np.int8), scale=0.01)
    bias = b.constant(f"{name}_b", rng.integers(-900, 900, 6).astype(np.int32), scale=0.0005)
    y = b.tensor(name, (1, 6), "int8", scale=0.07, zero_point=-2)
    b.operator("FULLY_CONNECTED", [x, weights, bias], [y])
    return y


def floats() -> Model:
    """float32 [1,8] -> a layer of 3 units, their softmax."""
    rng = np.random.default_rng(0)
    b = ModelBuilder()
    x = b.input("x", (1, 8), "float32")
    weights = b.constant("w", rng.normal(0, 1, (3, 8)).astype(np.float32))
    y, z = (b.tensor(name, (1, 3), "float32") for name in "yz")
    b.operator("FULLY_CONNECTED", [x, weights], [y])
    b.operator("SOFTMAX", [y], [z], SoftmaxOptions(beta=1.0))
    b.output(z)
    return b.build()


def running_maximum() -> Model:
    """int8 [1,4] -> the largest value of each element since the last reset, at least -100."""
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=1.0, zero_point=-100)
    state = b.variable("state", (1, 4), "int8", scale=1.0, zero_point=-100)
    b.operator("MAXIMUM", [x, state], [state])
    y = b.tensor("y", (4,), "int8", scale=1.0, zero_point=-100)
    b.operator("RESHAPE", [state], [y])
    b.output(y)
    return b.build()


def chain() -> Model:
    """int8 [1,4] -> three layers of the same shape and scales, whose weights are 1, 2 and 3."""
    b = ModelBuilder()
    at = b.input("x", (1, 4), "int8", scale=1.0)
    for i in range(3):
        weights = b.constant(f"w{i}", np.full((4, 4), i + 1, np.int8), scale=1.0)
        before, at = at, b.tensor(f"y{i}", (1, 4), "int8", scale=1.0)
        b.operator("FULLY_CONNECTED", [before, weights], [at])
    b.output(at)
    return b.build()
