"""Ratios of scales near 2^30: a result near an end of int32 leaves it with the output's zero point.

TFLM adds the two in int32, which wraps.
"""

from typing import Any

import numpy as np
import pytest

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.binary import Scales, ZeroPoints, binary_model
from tests.ops.differential import agrees, one_operator
from tests.oracle import Oracle
from tests.variants import REFERENCE, variants

Array = np.ndarray[Any, Any]
#: The product is 1 - 2^-26, whose multiplier lies nearer to 2^31 than a zero point is large.
ABOVE, BELOW = 1 + 2.0**-13, 1 - 2.0**-13
OUTPUT = {"scale": 2.0**-29, "zero_point": -128}
LAYERS: dict[str, tuple[tuple[int, ...], tuple[int, ...], OptionsTable]] = {
    "CONV_2D": ((1, 2, 3, 4), (33, 1, 1, 4), Conv2DOptions(0, 1, 1)),
    "DEPTHWISE_CONV_2D": ((1, 2, 3, 20), (1, 1, 1, 20), DepthwiseConv2DOptions(0, 1, 1, 1)),
    "FULLY_CONNECTED": ((2, 4), (19, 4), FullyConnectedOptions()),
}


def outputs(model: Model, variant: str, *inputs: Array) -> Array:
    """What one kind of kernels makes of a model of one operator."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    for index, value in enumerate(inputs):
        interpreter.input(index)[...] = value
    (interpreter if variant == REFERENCE else interpreter.compile(variant)).invoke()
    return interpreter.output(0).copy()


def layer(name: str) -> Model:
    """Sums of four inputs or of one, times 2^29."""
    shape, weights, options = LAYERS[name]
    b = ModelBuilder()
    x = b.input("x", shape, "int8", scale=ABOVE)
    w = b.constant("w", np.ones(weights, np.int8), scale=BELOW)
    channels = weights[3] if name == "DEPTHWISE_CONV_2D" else weights[0]
    y = b.tensor("y", (*shape[:-1], channels), "int8", **OUTPUT)
    return one_operator(b, name, [x, w], [y], options)


@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("name", LAYERS)
def test_sums_of_layers(name: str, variant: str) -> None:
    """4 * 2^29 wraps to -2^31; less 128 that is a large number."""
    model = layer(name)
    x = np.full(model.inputs[0].shape, 4 if name == "DEPTHWISE_CONV_2D" else 1, np.int8)
    assert (outputs(model, variant, x) == 127).all()


@pytest.mark.parametrize("name", LAYERS)
def test_layers_equal_tflm(oracle: Oracle, name: str) -> None:
    model = layer(name)
    inputs = [np.full(model.inputs[0].shape, 4, np.int8)]
    assert agrees(oracle, model, 0, inputs=inputs).status == "ok"


def leaky_relu() -> Model:
    """-4 * 2^29."""
    b = ModelBuilder()
    x = b.input("x", (1, 256), "int8", scale=ABOVE)
    y = b.tensor("y", (1, 256), "int8", **OUTPUT)
    return one_operator(b, "LEAKY_RELU", [x], [y], LeakyReluOptions(alpha=BELOW))


@pytest.mark.parametrize("variant", variants())
def test_leaky_relu(oracle: Oracle, variant: str) -> None:
    model, x = leaky_relu(), np.arange(-128, 128, dtype=np.int8)[None]
    assert outputs(model, variant, x)[0, 124] == 127
    if variant == REFERENCE:
        assert agrees(oracle, model, 0, inputs=[x]).status == "ok"


def scales_of(name: str, rng: np.random.Generator) -> Scales:
    """The ratio of an operator is a power of two, but for what float32 rounds off."""
    a, b = (float(np.float32(10 ** rng.uniform(-1, 1))) for _ in range(2))
    if name == "PRELU":
        b = BELOW * float(rng.choice([0.125, 0.25, 0.5, 1]))  # a / y stays under 2^30
    whole = {"DIV": a / b, "SQUARED_DIFFERENCE": max(a, b) ** 2}.get(name, a * b)
    return a, b, float(np.float32(whole * 2.0 ** -rng.integers(22, 28)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["MUL", "DIV", "PRELU", "SQUARED_DIFFERENCE"])
def test_two_operands_equal_tflm(oracle: Oracle, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, one = int(rng.choice([-128, -127])), 0 if name == "DIV" else int(rng.integers(-9, 9))
    zeros: ZeroPoints = (int(rng.integers(-128, 128)), one, low)
    shapes = ((1, 2000), (1, 2000))
    model = binary_model(name, shapes, "int8", scales=scales_of(name, rng), zero_points=zeros)
    inputs = [rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes]
    inputs[1][inputs[1] == (0 if name == "DIV" else 128)] = 1  # nothing is divided by
    assert agrees(oracle, model, 0, inputs=inputs).status == "ok"
    wanted = outputs(model, REFERENCE, *inputs)
    for variant in variants():
        np.testing.assert_array_equal(outputs(model, variant, *inputs), wanted)
