"""CONV_2D: pointwise, and any other one from a buffer of columns.

**Pointwise**: two pixels are widened to 16 bits, then multiplied by all filters.

**One position**, whose window is all of the image: a FULLY_CONNECTED.

**KxK**: the rows that one row of outputs needs are widened to a buffer ``[column][ky][channel]``
with the padding around them, so that a window is contiguous and the next one a constant distance
on: the same loop multiplies it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.fully_connected import one_row
from arenite.firmware.kernels.cortex_m.gemm import (
    REGISTERS,
    Products,
    emit_filters,
    expanded_order,
    pack_stream,
)
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed
from arenite.firmware.kernels.cortex_m.weights import convolution_weights
from arenite.firmware.network.kernel import Constant, Routine, Scratch, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

_WIDEN = (
    *("ldm r0!, {r2, r3, r8, r9}", "sxtb16 r4, r2", "sxtb16 r5, r2, ror #8"),
    *("sxtb16 r6, r3", "sxtb16 r7, r3, ror #8", "stm r1!, {r4-r7}"),
    *("sxtb16 r4, r8", "sxtb16 r5, r8, ror #8"),
    *("sxtb16 r6, r9", "sxtb16 r7, r9, ror #8", "stm r1!, {r4-r7}"),
)
_WIDEN_8 = (
    *("ldm r0!, {r2, r3}", "sxtb16 r4, r2", "sxtb16 r5, r2, ror #8"),
    *("sxtb16 r6, r3", "sxtb16 r7, r3, ror #8", "stm r1!, {r4-r7}"),
)
_WIDEN_4 = ("ldr r2, [r0], #4", "sxtb16 r4, r2", "sxtb16 r5, r2, ror #8", "stm r1!, {r4, r5}")


def conv_2d(layer: Layer[Conv2DParams]) -> Work:
    """The kernel for a convolution.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    return convolution(layer, convolution_weights(layer))


def convolution(layer: Layer[Conv2DParams | DepthwiseConv2DParams], weights: Int64s) -> Work:
    """The kernel for weights ``(filters, height, width, depth)``.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    window = layer.params.window
    rows, depth = weights.reshape(len(weights), -1), weights.shape[3]
    if rows.shape == (layer.output.size, layer.input(0).size) and not any(window.padding):
        return one_row(layer, rows)
    is_pointwise = window.filter_size == window.stride == (1, 1) and not depth % 4
    geometry = Columns(layer)
    ordered = rows[:, expanded_order(depth)] if is_pointwise else geometry.ordered(weights)
    stream, how = packed(layer, rows, partial(pack_stream, ordered))
    if is_pointwise:
        return _pointwise(layer, Constant("stream", stream), finish_of(layer, how))
    return geometry.work(Constant("stream", stream), finish_of(layer, how))


# -- pointwise ----------------------------------------------------------------------------


def _pointwise(layer: AnyLayer, stream: Constant, finish: Finish) -> Work:
    depth, filters = layer.input(0).shape[3], layer.output.shape[3]
    pixels = layer.output.size // filters
    pairs = (pixels + 1) // 2
    routine = Routine(
        "pointwise",
        ("const int8_t *x", "const uint32_t *stream", "int16_t *two_pixels", "int8_t *y"),
        pointwise_code(
            Products(depth // 2, 2 * depth, filters, finish, pairs, layer.runs, layer.icache), depth
        ),
        language="s",
        about=str(layer),
    )
    return Work(
        routine,
        (layer.input(0), stream, Scratch(4 * depth), layer.output),
        in_place=(0,),
        grows=filters > depth,
        room=(2 * pairs - pixels) * filters,
        read_room=(2 * pairs - pixels) * depth,
    )


def pointwise_code(p: Products, depth: int) -> str:
    """All pixels, two at a time; from the last on where the outputs would overtake the inputs."""
    a, pairs = Assembly(**REGISTERS), p.pairs
    backwards = p.filters > depth
    a.enter("x", "stream_start", "window", "inputs_end", "y", "at", "at_end", "pairs")
    if backwards:
        a.add("r0", 2 * (pairs - 1) * depth)
        a.add("r3", 2 * (pairs - 1) * p.filters)
    a("str r0, [x]", "str r1, [stream_start]", "str r2, [window]", "str r3, [y]")
    a.put("r4", pairs)
    a.add("r2", 2 * depth)
    a("str r4, [pairs]", "str r2, [inputs_end]", ".pixels:")
    a("ldr r0, [x]", "ldr r1, [window]")
    a.add("r12", 4 * depth, "r1")
    # As much of two pixels in a turn as goes into them evenly.
    turn = (_WIDEN + _WIDEN) if not depth % 16 else _WIDEN if not depth % 8 else _WIDEN_8
    a(".widen:", *turn, "cmp r1, r12", "bne .widen")
    if backwards:
        a.add("r0", -4 * depth)
    a("str r0, [x]", "ldr stream, [stream_start]", "ldr r2, [y]", "str r2, [at]")
    a.add("r2", p.filters)
    a("str r2, [at_end]")
    emit_filters(a, p)
    a.add("lr", -3 * p.filters if backwards else p.filters)
    a("ldr r2, [pairs]", "str lr, [y]", "subs r2, r2, #1", "str r2, [pairs]", "bne .pixels")
    a.leave()
    return a.text()


# -- any other convolution ----------------------------------------------------------------

#: Bytes that are widened in one turn of a loop, where a pixel has no more.
_BYTES = 24

_C = templates(__name__)
_ROWS = _C["rows"]


class Columns:
    """The buffer of columns of a convolution, and its driver."""

    def __init__(self, layer: Layer[Conv2DParams | DepthwiseConv2DParams]) -> None:
        self._layer = layer
        self._window = layer.params.window
        _, self._height, self._width, self._depth = layer.input(0).shape
        self._fast = not self._depth % 4
        taps = self._window.filter_size[0] * self._depth
        #: Halfwords of a column; a last one of an odd number meets a weight of 0.
        self.pitch = taps + taps % 2
        self.pairs = (self._window.output_size[1] + 1) // 2
        last = (2 * self.pairs - 1) * self._window.stride[1] + self._window.filter_size[1]
        self.columns = max(last, self._window.padding[1] + self._width)

    def ordered(self, weights: Int64s) -> Int64s:
        """Weights ``(filters, height, width, depth)`` as steps of two inputs, column by column."""
        filters, height, width, depth = weights.shape
        columns = weights.transpose(0, 2, 1, 3).reshape(filters, width, height * depth)
        padded = np.zeros((filters, width, self.pitch), np.int64)
        padded[:, :, : height * depth] = columns
        flat = padded.reshape(filters, -1)
        return (
            flat[:, expanded_order(flat.shape[1])] if self._fast else flat.reshape(filters, -1, 2)
        )

    def work(self, stream: Constant, finish: Finish) -> Work:
        """The driver in C and the parts in assembly that it calls."""
        layer, window = self._layer, self._window
        filters = layer.output.shape[3]
        steps = window.filter_size[1] * self.pitch // 2
        distance = 2 * window.stride[1] * self.pitch
        pairs = layer.output.size // (filters * window.output_size[1]) * self.pairs
        products = Products(steps, distance, filters, finish, pairs, layer.runs, layer.icache)
        row = Routine(
            "conv_row",
            ("const int16_t *columns", "const uint32_t *stream", "int8_t *y"),
            row_code(products, self.pairs),
            language="s",
            about=f"a row of outputs of {layer}",
        )
        routine = Routine(
            "conv_2d",
            ("const int8_t *x", "const uint32_t *stream", "int16_t *columns", "int8_t *y"),
            self._driver(),
            parts=(("row", row), ("widen", self._widen())),
            about=str(layer),
        )
        scratch = Scratch(2 * self.columns * self.pitch)
        room = (2 * self.pairs - window.output_size[1]) * filters
        return Work(routine, (layer.input(0), stream, scratch, layer.output), room=room)

    def _widen(self) -> Routine:
        a = Assembly()
        a("push {r4-r9, lr}")
        a.add("r12", self._width * self._depth, "r0")
        a(".pixels:")
        (self._emit_words if self._fast else self._emit_bytes)(a)
        a("cmp r0, r12", "bne .pixels", "pop {r4-r9, pc}")
        return Routine(
            "widen",
            ("const int8_t *row", "int16_t *column"),
            a.text(),
            language="s",
            about="a row to 16 bits, into a buffer of columns",
        )

    def _emit_words(self, a: Assembly) -> None:
        """A pixel, up to sixteen channels at a time."""
        a(*(_WIDEN * (self._depth // 16)), *(_WIDEN_8 if self._depth % 16 >= 8 else ()))
        a(*(_WIDEN_4 if self._depth % 8 else ()))
        a.add("r1", 2 * (self.pitch - self._depth))

    def _emit_bytes(self, a: Assembly) -> None:
        """Some pixels, byte by byte; four loads in a row take less than four alone."""
        pixels = next(
            n
            for n in (8, 6, 5, 4, 3, 2, 1)
            if self._width % n == 0 and (n == 1 or n * self._depth <= _BYTES)
        )
        places = [
            (p * self._depth + c, 2 * (p * self.pitch + c))
            for p in range(pixels)
            for c in range(self._depth)
        ]
        for first in range(0, len(places), 4):
            four = places[first : first + 4]
            a(*(f"ldrsb r{2 + i}, [r0, #{offset(at)}]" for i, (at, _) in enumerate(four)))
            a(*(f"strh r{2 + i}, [r1, #{offset(to)}]" for i, (_, to) in enumerate(four)))
        a.add("r0", pixels * self._depth)
        a.add("r1", 2 * pixels * self.pitch)

    def _driver(self) -> str:
        window = self._window
        return fill(
            _ROWS,
            right=window.padding[1] * self.pitch + self._width * self.pitch,
            halfwords=self.columns * self.pitch,
            zero=-self._layer.params.input_offset,
            images=self._layer.input(0).shape[0],
            image=self._height * self._width * self._depth,
            out_h=window.output_size[0],
            row_out=window.output_size[1] * self._layer.output.shape[3],
            kernel_h=window.filter_size[0],
            stride_h=window.stride[0],
            top=window.padding[0],
            left=window.padding[1] * self.pitch,
            in_h=self._height,
            in_w=self._width,
            in_c=self._depth,
            row_in=self._width * self._depth,
            pitch=self.pitch,
        )


def row_code(p: Products, pairs: int) -> str:
    """A row of outputs, two at a time, from a buffer of columns."""
    a = Assembly(**REGISTERS)
    a.enter("window", "stream_start", "at", "at_end", "inputs_end", "pairs")
    a.put("r3", pairs)
    a("str r0, [window]", "str r1, [stream_start]", "str r2, [at]", "str r3, [pairs]", ".pixels:")
    if p.turns > 1:
        a("ldr r0, [window]")
        a.add("r0", 4 * p.steps)
        a("str r0, [inputs_end]")
    a("ldr stream, [stream_start]", "ldr r2, [at]")
    a.add("r2", p.filters)
    a("str r2, [at_end]")
    emit_filters(a, p)
    a("ldr r0, [window]", "ldr r2, [pairs]")
    a.add("lr", p.filters)
    a.add("r0", 2 * p.distance)
    a("str lr, [at]", "str r0, [window]", "subs r2, r2, #1", "str r2, [pairs]", "bne .pixels")
    a.leave()
    return a.text()
