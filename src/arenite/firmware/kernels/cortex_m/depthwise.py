"""DEPTHWISE_CONV_2D with 3x3 weights and strides of 1 or 2, and which kernel does others.

Channel by channel, up to 2x2 outputs are made at once from planes: a word of a plane is two
neighbours, a word of weights too, so that an output takes six products. Weights are stored times
256, which scales sums as the requantisation wants them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.column import depthwise_column
from arenite.firmware.kernels.cortex_m.convolution import convolution
from arenite.firmware.kernels.cortex_m.correlation import correlation
from arenite.firmware.kernels.cortex_m.planes import GROUP, Planes, by_planes, planes_of
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import (
    How,
    Int64s,
    finish_of,
    halfwords,
    packed_any,
    scaled,
    words,
)
from arenite.firmware.kernels.cortex_m.weights import dense_weights, depthwise_weights
from arenite.firmware.network.kernel import Constant, Routine, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams


def depthwise_conv_2d(layer: Layer[DepthwiseConv2DParams]) -> Work:
    """The kernel for weights of any size."""
    if layer.input(0).shape[3] < GROUP:
        # Most outputs read much of a pixel: that is a convolution.
        return convolution(layer, dense_weights(layer))
    weights, window = depthwise_weights(layer), layer.params.window
    with suppress(UnsupportedError):
        return depthwise_column(layer, weights)
    is_even = window.stride in ((1, 1), (2, 2)) and window.dilation == (1, 1)
    if window.filter_size != (3, 3) or not is_even:
        return correlation(layer, weights)
    block, multiplier = 2 if window.stride == (1, 1) else 1, layer.params.depth_multiplier
    g = planes_of(layer, block, multiplier)
    pack = partial(_pack, weights, g)
    stream, how = packed_any(layer, weights.reshape(len(weights), -1), pack)
    finish = finish_of(layer, how)
    return by_planes(layer, g, Constant("stream", stream), partial(_rows, g, finish))


def _pack(weights: Int64s, g: Planes, bias: Int64s, how: How) -> npt.NDArray[np.uint32]:
    """Per channel its weights in the order of registers, its first sum, its constants."""
    parts = []
    for channel in g.order:
        first, weights_of, constants = scaled(channel, weights[channel], bias, how)
        if g.stride[0] == 1:
            halves = weights_of[:, [0, 1, 1, 2]].reshape(-1)
        else:
            halves = np.concatenate([weights_of[:, :2].reshape(-1), weights_of[:, 2], [0]])
        parts += [halfwords(halves), words([first, *constants])]
    return np.concatenate(parts)


# -- outputs of four channels -------------------------------------------------------------

_SUMS = (("r8", "r9"), ("r10", "r11"))


def _rows(g: Planes, finish: Finish, height: int) -> Routine:
    """A strip of outputs of four channels, one channel after the other."""
    a = Assembly(planes="r0", y="r1")
    kept = [f"constant{i}" for i in range(finish.words)]
    a.enter(
        *(*kept, "begin", "planes_at", "y_at", "stream", "channels", "rows", "end"),
        *(("pointers", "pointer_y") if finish.words > 2 else ()),
    )
    a("str r0, [planes_at]", "str r2, [y_at]", "movs r3, #4", "str r3, [channels]", "mov r12, r1")
    a(".channels:", f"ldm r12!, {{r2-r{7 if g.stride[0] == 1 else 6}}}")
    loaded = ("r8", "r9", "r10", "r11", "lr")[: 1 + finish.words]
    a(f"ldm r12!, {{{', '.join(loaded)}}}", "str r8, [begin]")
    a(*(f"str {one}, [{place}]" for one, place in zip(loaded[1:], kept, strict=True)))
    a("str r12, [stream]", "ldr planes, [planes_at]", "ldr y, [y_at]")
    pairs = height // 2
    if pairs:
        if pairs > 1:
            a(f"movs r12, #{pairs}", "str r12, [rows]", ".pairs:")
        moved, moved_out = _emit_row(a, g, 2, finish)
        if pairs > 1:
            a("ldr r12, [rows]")
        if pairs > 1 or height % 2:
            a.add("planes", 8 * g.words * g.stride[0] - moved)
            a.add("y", 2 * g.out_width * g.filters - moved_out)
        if pairs > 1:
            a("subs r12, r12, #1", "str r12, [rows]", "bne .pairs")
    if height % 2:
        _emit_row(a, g, 1, finish)
    a("ldr r0, [planes_at]", "ldr r1, [y_at]", "ldr r12, [stream]", "ldr r8, [channels]")
    a.add("r0", g.plane)
    a.add("r1", g.multiplier)
    a("str r0, [planes_at]", "str r1, [y_at]")
    a("subs r8, r8, #1", "str r8, [channels]", "bne .channels")
    a.leave()
    return a.routine(
        "depthwise_rows",
        ("const uint32_t *planes", "const uint32_t *stream", "int8_t *y"),
        f"{height} rows of {g.out_width} outputs of four channels",
    )


def _emit_row(a: Assembly, g: Planes, rows: int, finish: Finish) -> tuple[int, int]:
    """One or two rows of outputs; how far the pointers were moved."""
    pairs = g.out_width // 2
    turn = pairs if pairs <= 3 else 2 if pairs % 2 == 0 else 1
    step, moved, moved_out = 4 * g.stride[0], 0, 0
    if pairs > turn:
        a.add("r12", step * pairs, "planes")
        a("str r12, [end]", f".columns_{rows}:")
    for i in range(turn):
        _Block(a, g, rows, 2, finish).emit(step * i, 2 * g.filters * i)
    if pairs > turn:
        a.add("planes", step * turn)
        a.add("y", 2 * g.filters * turn)
        a("ldr r12, [end]", "cmp planes, r12", f"bne .columns_{rows}")
        moved, moved_out = step * pairs, 2 * g.filters * pairs
    if g.out_width % 2:
        _Block(a, g, rows, 1, finish).emit(step * pairs - moved, 2 * g.filters * pairs - moved_out)
    return moved, moved_out


@dataclass
class _Block:
    """``rows`` x ``columns`` outputs of one channel."""

    a: Assembly
    g: Planes
    rows: int
    columns: int
    finish: Finish

    def emit(self, at: int, out: int) -> None:
        """Inputs are at ``planes + at``, outputs go to ``y + out``."""
        a, begun = self.a, set[str]()
        last = _SUMS[self.rows - 1][self.columns - 1]
        words = self._words()
        for i in range((self.rows - 1) * self.g.stride[0] + 3):
            for number, word in enumerate(words):
                a(f"ldr {word}, [planes, #{offset(at + 4 * (self.g.words * i + number))}]")
            if i == 0:
                a(f"ldr {last}, [begin]")
            for row in range(self.rows):
                tap = i - row * self.g.stride[0]
                if 0 <= tap <= 2:
                    self._products(row, tap, words, last, begun)
        sums = [_SUMS[row][column] for row in range(self.rows) for column in range(self.columns)]
        self._requantize(sums)
        for one in sums:
            a(*self.finish.clamp(one))
        for number, one in enumerate(sums):
            row, column = divmod(number, self.columns)
            place = out + (row * self.g.out_width + column) * self.g.filters
            a.store_byte(one, "y", place, "r12")

    def _requantize(self, sums: list[str]) -> None:
        a, finish = self.a, self.finish
        registers = ("r12", "lr", "r0", "r1")[: finish.words]
        if finish.words > 2:  # more registers are needed for a while
            a("strd planes, y, [pointers]")
        a(*(f"ldr {one}, [constant{i}]" for i, one in enumerate(registers)))
        for one in sums:
            a(*finish.requantize(one, registers, "r1"))
        if finish.words > 2:
            a("ldrd planes, y, [pointers]")

    def _words(self) -> list[str]:
        """Registers for the words of a row of inputs."""
        if self.g.stride[0] == 1:
            return ["r12", "lr"]
        return ["r7", "r12", "lr"][: self.columns + 1]

    def _products(self, row: int, tap: int, words: list[str], last: str, begun: set[str]) -> None:
        """Three weights of a row of taps; the first product adds to the sum's beginning."""
        for column in range(self.columns):
            into = _SUMS[row][column]
            begin = into if into in begun else last
            begun.add(into)
            if self.g.stride[0] == 2:
                side, third = (("b", "r5"), ("t", "r5"), ("b", "r6"))[tap]
                self.a(f"smlad {into}, {words[column]}, r{2 + tap}, {begin}")
                self.a(f"smlab{side} {into}, {words[column + 1]}, {third}, {into}")
                continue
            w01, w12 = f"r{2 + 2 * tap}", f"r{3 + 2 * tap}"
            if column == 0:
                self.a(f"smlad {into}, {words[0]}, {w01}, {begin}")
                self.a(f"smlabt {into}, {words[1]}, {w12}, {into}")
            else:
                self.a(f"smlatb {into}, {words[0]}, {w01}, {begin}")
                self.a(f"smlad {into}, {words[1]}, {w12}, {into}")
