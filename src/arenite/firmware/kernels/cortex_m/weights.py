"""Constant int8 weights of the layers that processors have kernels of their own for."""

from __future__ import annotations

import numpy as np

from arenite.firmware.kernels.cortex_m.sums import Int64s
from arenite.firmware.kernels.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Windowed
from arenite.model import TensorType
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams
from arenite.ops.tflite.fully_connected import FullyConnectedParams


def convolution_weights(layer: Layer[Conv2DParams]) -> Int64s:
    """``(filters, height, width, depth)`` of a CONV_2D without groups and dilation.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    weights = _weights(layer)
    if layer.params.groups != 1:
        raise UnsupportedError("groups have no such kernel")
    _require_no_dilation(layer)
    return weights


def depthwise_weights(layer: Layer[DepthwiseConv2DParams], fewest: int) -> Int64s:
    """``(channels, height, width)`` of a DEPTHWISE_CONV_2D with a depth multiplier of 1.

    ``fewest`` is how many channels there are at least.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    weights, window = _weights(layer), layer.params.window
    channels = weights.shape[3]
    if max(window.dilation) > 1 or layer.params.depth_multiplier != 1 or channels < fewest:
        raise UnsupportedError(
            f"expected at least {fewest} channels, no dilation, a depth multiplier of 1"
        )
    by_channel: Int64s = weights[0].transpose(2, 0, 1)
    return by_channel


def one_channel_weights(layer: Layer[Windowed]) -> Int64s:
    """A DEPTHWISE_CONV_2D of one input channel as a convolution: see :func:`convolution_weights`.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    weights = _weights(layer)
    _require_no_dilation(layer)
    filters: Int64s = weights.transpose(3, 1, 2, 0)
    return filters


def fully_connected_weights(layer: Layer[FullyConnectedParams]) -> Int64s:
    """``(filters, depth)`` of a FULLY_CONNECTED layer of one row of inputs.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    weights = _weights(layer)
    weights = weights.reshape(-1, weights.shape[-1])
    if layer.params.filter_offset:
        raise UnsupportedError("weights with a zero point have no such kernel")
    if layer.input(0).size != weights.shape[1]:
        raise UnsupportedError("expected one row of inputs")
    return weights


def _weights(layer: AnyLayer) -> Int64s:
    require_types(layer, TensorType.INT8, inputs=2)
    require_elements(layer)
    weights: Int64s = constant_of(layer.input(1), "weights").astype(np.int64)
    return weights


def _require_no_dilation(layer: Layer[Windowed]) -> None:
    if max(layer.params.window.dilation) > 1:
        raise UnsupportedError("dilation has no such kernel")
