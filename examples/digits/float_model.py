"""The trained network as a float ``.tflite`` model, as a converter writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import network
import numpy as np
import numpy.typing as npt

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops import builtin

Array = npt.NDArray[Any]

VALID, SAME = 1, 0
RELU = 1
WINDOW = {"padding": SAME, "stride_w": 1, "stride_h": 1, "fused_activation_function": RELU}
POOL = {"padding": VALID, "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}


def float_model(layers: Sequence[network.Layer]) -> Model:
    """The model of ``layers``: images ``(1, 8, 8, 1)`` from 0 to 1 in, ten probabilities out."""
    b = ModelBuilder("digits")
    x = b.input("image", (1, 8, 8, 1), "float32")
    values = network.forward(layers, np.zeros((1, 8, 8, 1), np.float32))
    for number, (layer, value) in enumerate(zip(layers, values[1:], strict=True)):
        y = b.tensor(f"activation_{number}", (1, *value.shape[1:]), "float32")
        add_layer(b, layer, x, y, (1, *value.shape[1:]))
        x = y
    y = b.tensor("probabilities", (1, 10), "float32")
    b.operator("SOFTMAX", [x], [y], options("SOFTMAX", beta=1.0))
    b.output(y)
    return b.build("Handwritten digits 0 to 9, 8 x 8 pixels")


def add_layer(
    b: ModelBuilder, layer: network.Layer, x: int, y: int, shape: tuple[int, ...]
) -> None:
    """Add the operator that computes ``y`` from ``x``, with its constants."""
    match layer:
        case network.Convolution(depthwise=True):
            inputs = [x, *constants(b, layer, y)]
            row = options("DEPTHWISE_CONV_2D", **WINDOW, depth_multiplier=1)
            b.operator("DEPTHWISE_CONV_2D", inputs, [y], row)
        case network.Convolution():
            b.operator("CONV_2D", [x, *constants(b, layer, y)], [y], options("CONV_2D", **WINDOW))
        case network.Dense():
            row = options("FULLY_CONNECTED")
            b.operator("FULLY_CONNECTED", [x, *constants(b, layer, y)], [y], row)
        case network.MaxPool():
            b.operator("MAX_POOL_2D", [x], [y], options("MAX_POOL_2D", **POOL))
        case network.AveragePool():
            b.operator("AVERAGE_POOL_2D", [x], [y], options("AVERAGE_POOL_2D", **POOL))
        case network.Flatten():
            new_shape = b.constant(f"shape_{y}", np.array(shape, np.int32))
            b.operator("RESHAPE", [x, new_shape], [y], options("RESHAPE", new_shape=shape))


def constants(b: ModelBuilder, layer: network.Layer, number: int) -> tuple[int, int]:
    """A layer's weights and bias; returns the two tensors."""
    weights, bias = (np.asarray(one, np.float32) for one in layer.parameters)
    return b.constant(f"weights_{number}", weights), b.constant(f"bias_{number}", bias)


def options(name: str, **fields: Any) -> OptionsTable:
    """The options row of a builtin operator."""
    registration = builtin(name)
    assert registration is not None
    assert registration.options is not None
    return registration.options(**fields)
