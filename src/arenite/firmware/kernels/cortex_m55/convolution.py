"""CONV_2D: two windows of inputs times two filters, a load for each 16 products.

**Pointwise**: two pixels are copied first, so that outputs may lie over inputs.

**KxK**: the rows that one row of outputs needs are copied to a buffer ``[column][ky][channel]``
with the padding around them, so that a window is contiguous and the next one a constant distance
on.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.cortex_m.gemm import quads
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed
from arenite.firmware.kernels.cortex_m.weights import (
    convolution_weights,
    require_no_dilation,
    require_one_group,
)
from arenite.firmware.kernels.cortex_m55.vectors import (
    LANES,
    Int32s,
    both,
    finish,
    pack,
    without_constants,
)
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.windows import geometry
from arenite.firmware.network.kernel import Arrays, Constant, Routine, Scratch, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

#: Vectors of a window that are done without a loop, at most.
_STRAIGHT = 9
_C = templates(__name__)


def conv_2d(layer: Layer[Conv2DParams]) -> Work:
    """The kernel for a convolution."""
    require_one_group(layer)
    require_no_dilation(layer)
    return convolution(layer, convolution_weights(layer))


def convolution(layer: Layer[Conv2DParams | DepthwiseConv2DParams], weights: Int64s) -> Work:
    """The kernel for weights ``(filters, height, width, depth)``."""
    window = layer.params.window
    rows = weights.reshape(len(weights), -1)
    by_column = weights.transpose(0, 2, 1, 3).reshape(len(weights), -1)
    stream, how = packed(layer, rows, partial(_pack, by_column))
    constant, last = Constant("stream", stream), finish_of(layer, how)
    if window.filter_size == window.stride == (1, 1):
        return _pointwise(layer, constant, last)
    return _columns(layer, constant, last)


def _pack(weights: Int64s, bias: Int64s, how: Requantization) -> Int32s:
    """Of every two filters 16 weights each, in turn."""
    filters, depth = weights.shape
    padded = np.pad(without_constants(weights, how), ((0, 0), (0, -depth % LANES)))
    pairs = padded[np.array(quads(filters))].reshape(-1, 2, 2, padded.shape[1] // LANES, LANES)
    return pack(bias, how, list(pairs.transpose(0, 1, 3, 2, 4)))


def _windows(layer: AnyLayer, blocks: int, distance: int, last: Finish) -> Routine:
    text = fill(
        with_lines(_C["windows"], first=_products(blocks, 0), second=_products(blocks, 2)),
        blocks=blocks,
        distance=distance,
        both=both(last, "v", "u"),
        **finish(layer.output.shape[3], last),
    )
    parameters = ("const int8_t *a", "const int32_t *stream", "int8_t *y")
    return Routine("vector_windows", parameters, text, about=f"two pixels of {layer}")


def _products(blocks: int, first: int) -> str:
    """Products of two windows and the filters ``first`` and the next one, which stream as well."""
    numbers = {"first": first, "second": first + 1}
    if blocks > _STRAIGHT:
        return with_lines(_C["loop"], block=fill(_C["block"], **numbers, at=0, i="16 * i"))
    lines = (fill(_C["block"], **numbers, at=32 * i, i=16 * i) for i in range(blocks))
    return "\n".join([*(f"{{\n{one}\n}}" for one in lines), f"w += {32 * blocks};"])


def _pointwise(layer: AnyLayer, stream: Constant, last: Finish) -> Work:
    depth, filters = layer.input(0).shape[3], layer.output.shape[3]
    pixels = layer.output.size // filters
    pairs, blocks = (pixels + 1) // 2, -(-depth // LANES)
    text = fill(
        _C["pixels"],
        pairs=pairs,
        # From the last pixel on where the outputs would overtake the inputs.
        pair=f"{pairs - 1} - i" if filters > depth else "i",
        depth=depth,
        blocks=blocks,
        filters=filters,
    )
    scratch = Scratch(2 * LANES * blocks)
    return work_of(
        layer,
        text,
        {"x": layer.input(0), "stream": stream, "int8_t *pixels": scratch},
        stem="vector_pointwise",
        parts=(("windows", _windows(layer, blocks, LANES * blocks, last)),),
        in_place=(0,),
        grows=filters > depth,
        room=(2 * pairs - pixels) * filters,
        read_room=(2 * pairs - pixels) * depth,
    )


def _columns(
    layer: Layer[Conv2DParams | DepthwiseConv2DParams], stream: Constant, last: Finish
) -> Work:
    """The driver that fills a buffer of columns row by row."""
    window, (_, _, width, depth) = layer.params.window, layer.input(0).shape
    filters, pitch = layer.output.shape[3], window.filter_size[0] * depth
    pairs, distance = (window.output_size[1] + 1) // 2, window.stride[1] * pitch
    blocks = -(-window.filter_size[1] * pitch // LANES)
    # To the end of the last window's last vector, and of the last column.
    size = max((2 * pairs - 1) * distance + LANES * blocks, (window.padding[1] + width) * pitch)
    text = fill(
        _C["rows"],
        **(geometry(layer) | {"left": window.padding[1] * pitch}),
        bytes=size,
        zero=-layer.params.input_offset,
        row_out=window.output_size[1] * filters,
        row_in=width * depth,
        pitch=pitch,
        pairs=pairs,
        distance=distance,
        filters=filters,
    )
    arrays: Arrays = {"x": layer.input(0), "stream": stream, "int8_t *columns": Scratch(size)}
    parts = (("windows", _windows(layer, blocks, distance, last)),)
    room = (2 * pairs - window.output_size[1]) * filters
    return work_of(layer, text, arrays, stem="vector_conv_2d", parts=parts, room=room)
