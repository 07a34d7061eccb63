"""CONV_2D from a buffer of columns, where it is not pointwise.

The rows that one row of outputs needs are widened to a buffer ``[column][ky][channel]`` with the
padding around them, so that a window is contiguous and the next one a constant distance on: the
same loop multiplies it. One position whose window is all of the image is a row of inputs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.gemm import (
    REGISTERS,
    Products,
    emit_filters,
    expanded_order,
    pack_stream,
)
from arenite.firmware.kernels.cortex_m.planes import span_of, turned
from arenite.firmware.kernels.cortex_m.pointwise import pointwise
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed_any
from arenite.firmware.kernels.cortex_m.weights import convolution_weights, dilated
from arenite.firmware.kernels.cortex_m.widen import WIDEN
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import (
    Arrays,
    Constant,
    Routine,
    Scratch,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

#: Bytes that are widened in one turn of a loop, where a pixel has no more.
_BYTES = 24
#: Odd numbers of outputs of a row whose last one is made without a second one.
_FEW = (1, 3)

_C = templates(__name__)
_ROWS = _C["rows"]


def conv_2d(layer: Layer[Conv2DParams]) -> Work:
    """The kernel for a convolution."""
    return convolution(layer, convolution_weights(layer))


def convolution(layer: Layer[Conv2DParams | DepthwiseConv2DParams], weights: Int64s) -> Work:
    """The kernel for weights ``(filters, height, width, depth)``."""
    window = layer.params.window
    rows = weights.reshape(len(weights), -1)
    if rows.shape == (layer.output.size, layer.input(0).size) and not any(window.padding):
        return pointwise(layer, rows)
    geometry = Columns(layer, weights.shape[3])
    if window.filter_size == window.stride == (1, 1) and geometry.groups == 1:
        return pointwise(layer, rows)
    pack = partial(pack_stream, geometry.ordered(weights), groups=geometry.groups)
    try:
        stream, how = packed_any(layer, rows, pack)
        is_wide = False
    except UnsupportedError:  # sums leave 24 bits
        stream, how = packed_any(layer, rows, partial(pack, is_wide=True))
        is_wide = True
    return geometry.work(Constant("stream", stream), finish_of(layer, how), is_wide=is_wide)


class Columns:
    """The buffer of columns of a convolution whose filters read ``depth`` channels; its driver."""

    def __init__(self, layer: Layer[Conv2DParams | DepthwiseConv2DParams], depth: int) -> None:
        self._layer, self._depth = layer, depth
        window, (_, height, width, self._channels) = layer.params.window, layer.input(0).shape
        self.groups = self._channels // depth
        # A line with gaps between columns is seen as one with gaps between rows.
        line = height == window.output_size[0] == window.filter_size[0] == 1
        self._turned = line and window.padding[0] == 0 and window.dilation[1] > 1
        if self._turned:
            window, height, width = turned(window), width, height
        self._height, self._width = height, width
        #: From row to row of a window; between its columns there are some with weights of 0.
        self._apart, self._across = window.dilation
        rows, columns = window.filter_size[0], span_of(window)[1]
        self._window = replace(window, filter_size=(rows, columns))
        self._fast = not self._depth % 4
        taps = self._window.filter_size[0] * self._depth
        #: Halfwords of a column; a last one of an odd number meets a weight of 0.
        self.pitch = taps + taps % 2
        pairs, alone = _pairs_of(self._window.output_size[1])
        #: Outputs that are made of a row; one too many is written over later.
        self.made = 2 * pairs + alone
        last = (self.made - 1) * self._window.stride[1] + self._window.filter_size[1]
        self.columns = max(last, self._window.padding[1] + self._width)

    def ordered(self, weights: Int64s) -> Int64s:
        """Weights ``(filters, height, width, depth)`` as steps of two inputs, column by column."""
        weights = weights.transpose(0, 2, 1, 3) if self._turned else weights
        weights = dilated(weights, self._across, axis=2)
        filters, height, width, depth = weights.shape
        columns = weights.transpose(0, 2, 1, 3).reshape(filters, width, height * depth)
        padded = np.zeros((filters, width, self.pitch), np.int64)
        padded[:, :, : height * depth] = columns
        flat = padded.reshape(filters, -1)
        return (
            flat[:, expanded_order(flat.shape[1])] if self._fast else flat.reshape(filters, -1, 2)
        )

    def work(self, stream: Constant, finish: Finish, *, is_wide: bool) -> Work:
        """The driver in C and the parts in assembly that it calls."""
        layer, window = self._layer, self._window
        filters = layer.output.shape[3]
        own = filters // self.groups
        steps = window.filter_size[1] * self.pitch // 2
        distance = 2 * window.stride[1] * self.pitch
        pairs = layer.output.size // (filters * window.output_size[1]) * (-(-self.made // 2))
        how_often = (pairs, layer.runs, layer.icache)
        shape = steps, distance, own, finish, *how_often
        products = Products(*shape, pitch=filters, is_wide=is_wide, loads_pairs=layer.loads_pairs)
        row = Routine(
            "conv_row",
            ("const int16_t *columns", "const uint32_t *stream", "int8_t *y"),
            row_code(products, window.output_size[1]),
            language="s",
            about=f"a row of outputs of {layer}",
        )
        scratch = Scratch(2 * self.columns * self.pitch)
        arrays: Arrays = {"x": layer.input(0), "stream": stream, "int16_t *columns": scratch}
        text = self._driver(len(stream.values) // self.groups)
        parts = (("row", row), ("widen", self._widen()))
        room = (self.made - window.output_size[1]) * filters
        return work_of(layer, text, arrays, stem="conv_2d", parts=parts, room=room)

    def _widen(self) -> Routine:
        a = Assembly()
        a("push {r4-r9, lr}")
        a.add("r12", self._width * self._channels, "r0")
        a(".pixels:")
        (self._emit_words if self._fast else self._emit_bytes)(a)
        a("cmp r0, r12", "bne .pixels", "pop {r4-r9, pc}")
        return a.routine(
            "widen",
            ("const int8_t *row", "int16_t *column"),
            "a row to 16 bits, into a buffer of columns",
        )

    def _emit_words(self, a: Assembly) -> None:
        """A pixel, up to sixteen channels at a time."""
        a(*(WIDEN[16] * (self._depth // 16)), *(WIDEN[8] if self._depth % 16 >= 8 else ()))
        a(*(WIDEN[4] if self._depth % 8 else ()))
        a.add("r0", self._channels - self._depth)
        a.add("r1", 2 * (self.pitch - self._depth))

    def _emit_bytes(self, a: Assembly) -> None:
        """Some pixels, byte by byte; four loads in a row take less than four alone."""
        pixels = next(
            n
            for n in (8, 6, 5, 4, 3, 2, 1)
            if self._width % n == 0 and (n == 1 or n * self._depth <= _BYTES)
        )
        places = [
            (p * self._channels + c, 2 * (p * self.pitch + c))
            for p in range(pixels)
            for c in range(self._depth)
        ]
        for first in range(0, len(places), 4):
            four = places[first : first + 4]
            a(*(f"ldrsb r{2 + i}, [r0, #{offset(at)}]" for i, (at, _) in enumerate(four)))
            a(*(f"strh r{2 + i}, [r1, #{offset(to)}]" for i, (_, to) in enumerate(four)))
        a.add("r0", pixels * self._channels)
        a.add("r1", 2 * pixels * self.pitch)

    def _driver(self, words: int) -> str:
        window, filters = self._window, self._layer.output.shape[3]
        return fill(
            _ROWS if self.groups == 1 else with_lines(_C["groups"], rows=_ROWS),
            groups=self.groups,
            filters=filters // self.groups,
            words=words,
            right=window.padding[1] * self.pitch + self._width * self.pitch,
            halfwords=self.columns * self.pitch,
            zero=-self._layer.params.input_offset,
            images=self._layer.input(0).shape[0],
            image=self._height * self._width * self._channels,
            out_h=window.output_size[0],
            row_out=window.output_size[1] * filters,
            kernel_h=window.filter_size[0],
            stride_h=window.stride[0],
            apart=f" * {self._apart}" if self._apart > 1 else "",
            top=window.padding[0],
            left=window.padding[1] * self.pitch,
            in_h=self._height,
            in_w=self._width,
            in_c=self._depth,
            row_in=self._width * self._channels,
            pitch=self.pitch,
        )


def row_code(p: Products, outputs: int) -> str:
    """A row of outputs, two at a time, from a buffer of columns; the last one may be alone."""
    pairs, alone = _pairs_of(outputs)
    a = Assembly(**REGISTERS)
    a.enter("window", "stream_start", "at", "at_end", "inputs_end", "pairs")
    a.put("r3", pairs)
    a("str r0, [window]", "str r1, [stream_start]", "str r2, [at]", "str r3, [pairs]")
    if pairs:
        a(".pixels:")
        _emit_window(a, p, "ab")
        a("ldr r0, [window]", "ldr r2, [pairs]")
        a.add("lr", 2 * p.apart - p.filters)
        a.add("r0", 2 * p.distance)
        a("str lr, [at]", "str r0, [window]", "subs r2, r2, #1", "str r2, [pairs]", "bne .pixels")
    if alone:
        _emit_window(a, replace(p, pairs=1) if pairs else p, "a")
    a.leave()
    return a.text()


def _emit_window(a: Assembly, p: Products, pixels: str) -> None:
    """All filters for two windows or one."""
    if p.turns > 1:
        a("ldr r0, [window]")
        a.add("r0", p.looped)
        a("str r0, [inputs_end]")
    a("ldr stream, [stream_start]", "ldr r2, [at]")
    a.add("r2", p.filters)
    a("str r2, [at_end]")
    emit_filters(a, p, pixels)


def _pairs_of(outputs: int) -> tuple[int, bool]:
    """Pairs of a row's outputs, and whether the last one is alone: of few it takes less time."""
    alone = outputs in _FEW
    return (outputs // 2, alone) if alone else ((outputs + 1) // 2, False)
