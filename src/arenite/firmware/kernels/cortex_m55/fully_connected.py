"""FULLY_CONNECTED: one row of inputs times four filters, 16 products in an instruction."""

from __future__ import annotations

from functools import partial

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.gemm import quads
from arenite.firmware.kernels.cortex_m.requantize import Requantization
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed
from arenite.firmware.kernels.cortex_m.weights import fully_connected_weights
from arenite.firmware.kernels.cortex_m55.vectors import (
    LANES,
    Int32s,
    finish,
    pack,
    without_constants,
)
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Arrays, Constant, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.fully_connected import FullyConnectedParams

_C = templates(__name__)


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """The kernel for one row of inputs."""
    weights = fully_connected_weights(layer)
    if layer.input(0).size != weights.shape[1]:
        raise UnsupportedError("expected one row of inputs")
    filters, depth = weights.shape
    stream, how = packed(layer, weights, partial(_pack, weights))
    blocks = -(-depth // LANES)
    text = fill(_C["row"], blocks=blocks, **finish(filters, finish_of(layer, how)))
    arrays: Arrays = {"x": layer.input(0), "stream": Constant("stream", stream)}
    room = LANES * blocks - depth
    return work_of(layer, text, arrays, stem="vector_fully_connected", read_room=room)


def _pack(weights: Int64s, bias: Int64s, how: Requantization) -> Int32s:
    """Of every four filters 16 weights each, in turn; what is behind inputs meets weights of 0."""
    filters, depth = weights.shape
    padded = np.pad(without_constants(weights, how), ((0, 0), (0, -depth % LANES)))
    fours = padded[np.array(quads(filters))].reshape(-1, 4, padded.shape[1] // LANES, LANES)
    return pack(bias, how, list(fours.transpose(0, 2, 1, 3)))
