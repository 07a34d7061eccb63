"""FULLY_CONNECTED: rows are pixels."""

from __future__ import annotations

from arenite.firmware.kernels.cortex_m.pointwise import pointwise
from arenite.firmware.kernels.cortex_m.weights import fully_connected_weights
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.fully_connected import FullyConnectedParams


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """The kernel for rows of inputs."""
    return pointwise(layer, fully_connected_weights(layer))
