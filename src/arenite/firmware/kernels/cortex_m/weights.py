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
    """``(filters, height, width, depth)`` of a CONV_2D; of groups the depth of one."""
    return _weights(layer)


def depthwise_weights(layer: Layer[DepthwiseConv2DParams]) -> Int64s:
    """``(channels, height, width)`` of a DEPTHWISE_CONV_2D, by channels of its output."""
    by_channel: Int64s = _weights(layer)[0].transpose(2, 0, 1)
    return by_channel


def dense_weights(layer: Layer[Windowed]) -> Int64s:
    """A DEPTHWISE_CONV_2D as a convolution, whose filters have zeros for the other channels."""
    weights, depth = _weights(layer)[0], layer.input(0).shape[3]
    filters = weights.shape[2]
    found = np.zeros((filters, *weights.shape[:2], depth), np.int64)
    numbers = np.arange(filters)
    found[numbers, :, :, numbers * depth // filters] = weights.transpose(2, 0, 1)
    return found


def dilated(weights: Int64s, by: int, axis: int) -> Int64s:
    """Weights with zeros between them along an axis."""
    shape = list(weights.shape)
    shape[axis] = (shape[axis] - 1) * by + 1
    found = np.zeros(shape, np.int64)
    np.moveaxis(found, axis, 0)[::by] = np.moveaxis(weights, axis, 0)
    return found


def fully_connected_weights(layer: Layer[FullyConnectedParams]) -> Int64s:
    """``(filters, depth)`` of a FULLY_CONNECTED layer."""
    weights = _weights(layer)
    weights = weights.reshape(-1, weights.shape[-1])
    if layer.params.filter_offset:
        raise UnsupportedError("weights with a zero point have no such kernel")
    return weights


def _weights(layer: AnyLayer) -> Int64s:
    require_types(layer, TensorType.INT8, inputs=2)
    require_elements(layer)
    weights: Int64s = constant_of(layer.input(1), "weights").astype(np.int64)
    return weights


def require_one_group(layer: Layer[Conv2DParams]) -> None:
    """Every filter reads all channels."""
    if layer.params.groups != 1:
        raise UnsupportedError("groups have no such kernel")


def require_no_dilation(layer: Layer[Windowed]) -> None:
    """Windows are without gaps."""
    if max(layer.params.window.dilation) > 1:
        raise UnsupportedError("dilation has no such kernel")
