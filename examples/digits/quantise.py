"""From a float network to an int8 model, as TensorFlow Lite's converter quantises.

Weights are int8 and symmetric, with one scale per output channel; biases are int32 with
scale ``input * weight``; activations are int8 with one scale and zero point per tensor,
from the range that the training digits reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import network
import numpy as np
import numpy.typing as npt

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops import builtin

Array = npt.NDArray[Any]
Scale = tuple[float, int]

VALID, SAME = 1, 0
RELU = 1


def quantise(layers: Sequence[network.Layer], images: Array) -> Model:
    """The int8 model of ``layers``, calibrated on float ``images`` (n, 8, 8, 1)."""
    b = ModelBuilder("digits")
    scale: Scale = (1 / 255, -128)  # grey - 128: a camera's byte is the quantised input
    x = b.input("image", (1, 8, 8, 1), "int8", scale=scale[0], zero_point=scale[1])
    values = network.forward(layers, images)
    for number, (layer, value) in enumerate(zip(layers, values[1:], strict=True)):
        computes = bool(layer.parameters)
        out = affine(value) if computes else scale  # pooling and reshaping keep the scale
        shape = (1, *value.shape[1:])
        y = b.tensor(f"activation_{number}", shape, "int8", scale=out[0], zero_point=out[1])
        add_layer(b, layer, x, y, input_scale=scale[0], shape=shape)
        x, scale = y, out
    y = b.tensor("probabilities", (1, 10), "int8", scale=1 / 256, zero_point=-128)
    b.operator("SOFTMAX", [x], [y], options("SOFTMAX", beta=1.0))
    b.output(y)
    return b.build("Handwritten digits 0 to 9, 8 x 8 pixels")


def add_layer(
    b: ModelBuilder,
    layer: network.Layer,
    x: int,
    y: int,
    *,
    input_scale: float,
    shape: tuple[int, ...],
) -> None:
    """Add the operator that computes ``y`` from ``x``, with its constants."""
    match layer:
        case network.Convolution(depthwise=True):
            inputs = [x, *constants(b, layer, y, input_scale, axis=3)]
            row = options("DEPTHWISE_CONV_2D", **WINDOW, depth_multiplier=1)
            b.operator("DEPTHWISE_CONV_2D", inputs, [y], row, version=3)
        case network.Convolution():
            inputs = [x, *constants(b, layer, y, input_scale, axis=0)]
            b.operator("CONV_2D", inputs, [y], options("CONV_2D", **WINDOW), version=3)
        case network.Dense():
            inputs = [x, *constants(b, layer, y, input_scale, axis=0)]
            b.operator("FULLY_CONNECTED", inputs, [y], options("FULLY_CONNECTED"), version=4)
        case network.MaxPool():
            b.operator("MAX_POOL_2D", [x], [y], options("MAX_POOL_2D", **POOL), version=2)
        case network.AveragePool():
            b.operator("AVERAGE_POOL_2D", [x], [y], options("AVERAGE_POOL_2D", **POOL), version=2)
        case network.Flatten():
            new_shape = b.constant(f"shape_{y}", np.array(shape, np.int32))
            b.operator("RESHAPE", [x, new_shape], [y], options("RESHAPE", new_shape=shape))


def constants(
    b: ModelBuilder, layer: network.Layer, number: int, input_scale: float, axis: int
) -> tuple[int, int]:
    """Quantise a layer's weights along ``axis`` and its bias; returns the two tensors."""
    weights, bias = layer.parameters
    others = tuple(i for i in range(weights.ndim) if i != axis)
    scales = np.abs(weights).max(others) / 127
    scales = np.maximum(scales, 1e-8).astype(np.float32)
    along = scales.reshape([-1 if i == axis else 1 for i in range(weights.ndim)])
    q = np.clip(np.round(weights / along), -127, 127).astype(np.int8)
    bias_scales = np.float32(input_scale) * scales
    q_bias = np.round(bias / bias_scales).astype(np.int32)
    return (
        b.constant(f"weights_{number}", q, scale=scales, quantized_dimension=axis),
        b.constant(f"bias_{number}", q_bias, scale=bias_scales),
    )


def affine(value: Array) -> Scale:
    """Scale and zero point that map the range of ``value``, with zero, to -128 ... 127."""
    low, high = min(float(value.min()), 0.0), max(float(value.max()), 0.0)
    scale = (high - low) / 255
    return scale, round(-128 - low / scale)


def options(name: str, **fields: Any) -> OptionsTable:
    """The options row of a builtin operator."""
    registration = builtin(name)
    assert registration is not None
    assert registration.options is not None
    return registration.options(**fields)


WINDOW = {"padding": SAME, "stride_w": 1, "stride_h": 1, "fused_activation_function": RELU}
POOL = {"padding": VALID, "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}
