"""Convolutions whose values are chosen, native next to the reference."""

from typing import Any

import numpy as np

from arenite.model import Array, Model, ModelBuilder
from arenite.ops.kernel_util import window_output_size
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.runtime.heap_host import HeapInterpreter


def convolution(
    x: Array,
    weights: Array,
    stride: int,
    scale: float,
    *,
    padding: int = 0,
    bias: Any = 0,
    activation: int = 0,
    of_filters: Any = 1.0,
) -> Model:
    """Images whose zero is -128.

    ``scale`` is how many units of a sum an output step takes, where ``of_filters``, the scale of
    all filters or of each, is 1.
    """
    b = ModelBuilder()
    size = [
        window_output_size(padding, extent, weights.shape[1], stride, 1) for extent in x.shape[1:3]
    ]
    values = np.broadcast_to(bias, len(weights)).astype(np.int32)
    inputs = [
        b.input("x", x.shape, "int8", scale=1.0, zero_point=-128),
        b.constant("w", weights, scale=of_filters),
        b.constant("b", values, scale=of_filters),
    ]
    y = b.tensor("y", (x.shape[0], *size, len(weights)), "int8", scale=scale)
    options = Conv2DOptions(padding, stride, stride, fused_activation_function=activation)
    b.operator("CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


def outputs(isa: str, x: Array, model: Model) -> tuple[Array, Array]:
    """What an instruction set makes of a model of one operator, and what the reference does."""
    reference, native = HeapInterpreter(model), HeapInterpreter(model)
    for interpreter in (reference, native):
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = x
    compiled = native.compile(isa)
    assert compiled.kernel(0) != "python"
    with np.errstate(all="ignore"):
        reference.invoke()
        compiled.invoke()
    return native.output(0), reference.output(0)


def check(isa: str, x: Array, model: Model) -> None:
    """The native kernel of an instruction set gives the reference's output."""
    np.testing.assert_array_equal(*outputs(isa, x, model))


def largest_sum(weights: Array) -> float:
    """What no sum of 9-bit inputs exceeds, and at least 1."""
    return 255.0 * max(int(np.abs(weights.astype(int)).sum((1, 2, 3)).max()), 1)
