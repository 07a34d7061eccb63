"""DEPTHWISE_CONV_2D: four channels in a vector, up to five outputs for each load of weights.

Rows are copied into a ring of as many as the weights are high, with the padding around them: the
output may lie over the input.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.cortex_m.gemm import QUAD, quads
from arenite.firmware.kernels.cortex_m.planes import Planes, planes_of
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed
from arenite.firmware.kernels.cortex_m.weights import (
    dense_weights,
    depthwise_weights,
    require_no_dilation,
)
from arenite.firmware.kernels.cortex_m55.convolution import convolution
from arenite.firmware.kernels.cortex_m55.vectors import (
    Int32s,
    both,
    finish,
    pack,
    without_constants,
)
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import (
    Arrays,
    Constant,
    Routine,
    Scratch,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Offset
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

#: Outputs that are made at once, at most: their sums and two more fit into the registers.
_MOST = 5
#: Taps of a row that are done without a loop, at most.
_STRAIGHT = 3
_C = templates(__name__)


def depthwise_conv_2d(layer: Layer[DepthwiseConv2DParams]) -> Work:
    """The kernel for a depth multiplier of 1, or for one input channel."""
    require_no_dilation(layer)
    channels = layer.input(0).shape[3]
    if channels == 1:
        # All outputs read one channel: that is a convolution.
        return convolution(layer, dense_weights(layer))
    if layer.params.depth_multiplier != 1 or channels < QUAD:
        raise UnsupportedError(f"expected at least {QUAD} channels, a depth multiplier of 1")
    weights = depthwise_weights(layer)
    rows = weights.reshape(len(weights), -1)
    stream, how = packed(layer, rows, partial(_pack, rows))
    return _work(layer, planes_of(layer), Constant("stream", stream), finish_of(layer, how))


def _pack(weights: Int64s, bias: Int64s, how: Requantization) -> Int32s:
    """Of every four channels their weights, tap by tap."""
    fours = without_constants(weights, how)[np.array(quads(len(weights)))]
    return pack(bias, how, list(fours.transpose(0, 2, 1)))


def _block(g: Planes) -> int:
    """Outputs of a row that are made at once; those of the last block may be made twice."""
    taps = g.kernel[0] * g.kernel[1]

    def instructions(block: int) -> int:
        return -(-g.out_width // block) * (taps * (1 + 3 * block) + 10 * block)

    return min(range(1, min(g.out_width, _MOST) + 1), key=instructions)


def _row(layer: AnyLayer, g: Planes, pitch: int, last: Finish) -> Routine:
    block = _block(g)
    step = g.stride[1] * g.channels
    width = g.kernel[1]
    straight = width if width <= _STRAIGHT else 1
    if width <= _STRAIGHT and g.kernel[0] <= _STRAIGHT:
        lines = (
            with_lines(_C["line"], products=_products(g, block, width, 4 * width * ky))
            for ky in range(g.kernel[0])
        )
        taps = "\n".join(fill(line, ky=ky) for ky, line in enumerate(lines))
    else:
        taps = with_lines(_C["taps"], products=_products(g, block, straight, 0))
    text = with_lines(_C["row"], all=taps, stores="\n".join(_stores(g, block, last)))
    return Routine(
        "vector_depthwise_row",
        ("const int8_t *rows", "const int32_t *stream", "int8_t *y", "int32_t first"),
        fill(
            text,
            out_w=g.out_width,
            block=block,
            last=g.out_width - block,
            step=step,
            sums="vld1q_s32(stream)" + "".join(f", s{i} = s0" for i in range(1, block)),
            kernel_h=g.kernel[0],
            kernel_w=g.kernel[1],
            turns=width // straight,
            several=straight * g.channels,
            taps_a_turn=straight,
            pitch=pitch,
            taps=g.kernel[0] * g.kernel[1],
            **finish(g.channels, last),
        ),
        about=f"a row of {layer}",
    )


def _products(g: Planes, block: int, taps: int, begin: int) -> str:
    """Products of some taps of a row; their weights begin so many bytes behind ``w``."""
    found = []
    for kx in range(taps):
        found.append("ar_vector_again();")
        found.append(f"v = vldrbq_s32(w + {begin + 4 * kx});")
        for i in range(block):
            at = kx * g.channels + i * g.stride[1] * g.channels
            found.append(f"s{i} = vaddq_s32(s{i}, vmulq_s32(v, vldrbq_s32(p + {at})));")
    return "\n".join(found)


def _stores(g: Planes, block: int, last: Finish) -> Iterator[str]:
    """Outputs of sums, two at a time."""
    for i in range(block):
        yield f"s{i} = $requantize(s{i}, how);"
    for i in range(0, block - 1, 2):
        places = f"to + {i * g.channels}, to + {(i + 1) * g.channels}"
        yield f"ar_vector_store_both({places}, {both(last, f's{i}', f's{i + 1}')}, $limits);"
    if block % 2:
        yield f"ar_vector_store(to + {(block - 1) * g.channels}, s{block - 1}, $right, $limits);"


def _work(layer: Layer[Offset], g: Planes, stream: Constant, last: Finish) -> Work:
    columns = max(g.left + g.width, (g.out_width - 1) * g.stride[1] + g.kernel[1])
    pitch = columns * g.channels
    text = fill(
        _C["ring"],
        images=layer.input(0).shape[0],
        image=g.height * g.width * g.channels,
        zero=-layer.params.input_offset,
        bytes=g.kernel[0] * pitch,
        out_h=g.out_height,
        row_out=g.out_width * g.channels,
        stride_h=g.stride[0],
        kernel_h=g.kernel[0],
        top=g.top,
        pitch=pitch,
        left=g.left * g.channels,
        in_h=g.height,
        row_in=g.width * g.channels,
    )
    rows = Scratch(g.kernel[0] * pitch)
    arrays: Arrays = {"x": layer.input(0), "stream": stream, "int8_t *rows": rows}
    parts = (("row", _row(layer, g, pitch, last)),)
    in_place, stem = (0,) if g.keeps_ahead(1) else (), "vector_depthwise_conv_2d"
    return work_of(layer, text, arrays, stem=stem, parts=parts, in_place=in_place)
