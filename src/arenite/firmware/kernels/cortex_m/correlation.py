"""DEPTHWISE_CONV_2D with weights and strides of any size, from planes.

Channel by channel, four outputs of a row at once. A word of a plane is two neighbours; weights are
stored in pairs that begin at an even column, and where outputs begin at odd columns in pairs that
begin one before: a product of pairs is two taps, or one and a zero. A word that two outputs need is
loaded once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from arenite.firmware.kernels.cortex_m.asm import MAX_OFFSET, Assembly, offset
from arenite.firmware.kernels.cortex_m.planes import Planes, by_planes, planes_of
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import (
    How,
    Int64s,
    Words,
    finish_of,
    halfwords,
    packed_any,
    scaled,
    words,
)
from arenite.firmware.kernels.cortex_m.weights import dilated
from arenite.firmware.network.kernel import Constant, Routine, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

#: Outputs of a row that are made at once, in these registers.
_SUMS = ("r8", "r9", "r10", "r11")
#: Registers for words of inputs.
_INPUTS = ("r2", "r3", "r4", "r5")
#: Products of one output, at most: the loop over them is unrolled.
_MOST = 160


def correlation(layer: Layer[DepthwiseConv2DParams], weights: Int64s) -> Work:
    """The kernel for weights ``(channels, height, width)``."""
    if weights[0].size > _MOST:
        raise UnsupportedError(f"{weights[0].size} weights per channel are more than {_MOST}")
    g = planes_of(layer, multiplier=layer.params.depth_multiplier)
    turned = weights.reshape(len(weights), -1, -(-g.kernel[1] // g.dilation[1]))
    taps = dilated(dilated(turned, g.dilation[0], 1), g.dilation[1], 2)
    stream, how = packed_any(layer, weights.reshape(len(weights), -1), partial(_pack, taps, g))
    rows = partial(_rows, g, finish_of(layer, how), len(stream) // len(g.order))
    return by_planes(layer, g, Constant("stream", stream), rows)


def _parities(g: Planes) -> tuple[int, ...]:
    """Whether outputs begin at even columns, or at odd ones too."""
    return (0, 1) if g.stride[1] % 2 and g.out_width > 1 else (0,)


def _pairs(g: Planes) -> int:
    """Words of weights of a row of taps, for either parity as many."""
    return (g.kernel[1] + max(_parities(g)) + 1) // 2


def _has_tap(g: Planes, pair: int, parity: int) -> bool:
    """Whether a pair of columns has a weight, or falls between those of a dilated window."""
    columns = range(0, g.kernel[1], g.dilation[1])
    return any((column + parity) // 2 == pair for column in columns)


def _pack(taps: Int64s, g: Planes, bias: Int64s, how: How) -> Words:
    """Per channel its weights by row, pair and parity; its first sum, its constants."""
    parts = []
    for channel in g.order:
        first, weights, constants = scaled(channel, taps[channel], bias, how)
        rows = np.zeros((g.kernel[0], _pairs(g), len(_parities(g)), 2), np.int64)
        for parity in _parities(g):
            padded = np.zeros((g.kernel[0], 2 * _pairs(g)), np.int64)
            padded[:, parity : parity + g.kernel[1]] = weights
            rows[:, :, parity] = padded.reshape(g.kernel[0], -1, 2)
        parts += [halfwords(rows), words([first, *constants])]
    return np.concatenate(parts)


def _rows(g: Planes, finish: Finish, stored: int, height: int) -> Routine:
    """A strip of outputs of four channels, one channel after the other."""
    a = Assembly(planes="r0", y="r1", weights="lr")
    a.enter("planes_at", "y_at", "channels", "rows", "end")
    a("str r0, [planes_at]", "str r2, [y_at]", "movs r3, #4", "str r3, [channels]")
    a("mov weights, r1", ".channels:", "ldr planes, [planes_at]", "ldr y, [y_at]")
    if height > 1:
        a(f"movs r12, #{height}", "str r12, [rows]", ".rows:")
    moved, moved_out = _emit_row(a, g, finish)
    if height > 1:
        a.add("planes", 4 * g.words * g.stride[0] - moved)
        a.add("y", g.out_width * g.filters - moved_out)
        a("ldr r12, [rows]", "subs r12, r12, #1", "str r12, [rows]", "bne .rows")
    a("ldr r0, [planes_at]", "ldr r1, [y_at]", "ldr r8, [channels]")
    a.add("weights", 4 * stored)
    a.add("r0", g.plane)
    a.add("r1", g.multiplier)
    a("str r0, [planes_at]", "str r1, [y_at]")
    a("subs r8, r8, #1", "str r8, [channels]", "bne .channels")
    a.leave()
    return a.routine(
        "correlate_rows",
        ("const uint32_t *planes", "const uint32_t *stream", "int8_t *y"),
        f"{height} rows of {g.out_width} outputs of four channels",
    )


def _emit_row(a: Assembly, g: Planes, finish: Finish) -> tuple[int, int]:
    """A row of outputs; how far the pointers were moved."""
    blocks, rest = divmod(g.out_width, len(_SUMS))
    step, step_out = 2 * len(_SUMS) * g.stride[1], len(_SUMS) * g.filters
    moved = blocks if blocks > 1 else 0
    if moved:
        a.add("r12", step * blocks, "planes")
        a("str r12, [end]", ".columns:")
    if blocks:
        _Block(a, g, len(_SUMS), finish).emit(0, 0)
    if moved:
        a.add("planes", step)
        a.add("y", step_out)
        a("ldr r12, [end]", "cmp planes, r12", "bne .columns")
    if rest:
        left = blocks - moved
        _Block(a, g, rest, finish).emit(step * left, step_out * left)
    return step * moved, step_out * moved


@dataclass
class _Block:
    """Some outputs of a row of one channel."""

    a: Assembly
    g: Planes
    columns: int
    finish: Finish
    #: The words that are in registers, the one that was used last at the end.
    held: dict[int, str] = field(default_factory=dict)

    def emit(self, at: int, out: int) -> None:
        """Inputs are at ``planes + at``, outputs go to ``y + out``."""
        a, g, parities = self.a, self.g, _parities(self.g)
        pairs, begun = _pairs(g), set[str]()
        constants = 4 * g.kernel[0] * pairs * len(parities)
        if constants + 16 > MAX_OFFSET:
            raise UnsupportedError("there are too many weights per channel")
        a(f"ldr r12, [weights, #{constants}]")
        for row in range(0, g.kernel[0], g.dilation[0]):
            self.held.clear()
            for pair in range(pairs):
                first = 4 * (row * pairs + pair) * len(parities)
                for parity in parities[: self.columns]:
                    if _has_tap(g, pair, parity):
                        a(f"ldr r{6 + parity}, [weights, #{first + 4 * parity}]")
                for column, sum_ in enumerate(_SUMS[: self.columns]):
                    word, parity = divmod(column * g.stride[1], 2)
                    if not _has_tap(g, pair, parity):
                        continue
                    x = self._input(word + pair, at + 4 * g.words * row)
                    begin = sum_ if sum_ in begun else "r12"
                    begun.add(sum_)
                    a(f"smlad {sum_}, {x}, r{6 + parity}, {begin}")
        self._finish(constants + 4, out)

    def _input(self, word: int, row: int) -> str:
        """The register that holds a word of a row, loaded if need be."""
        register = self.held.pop(word, None)
        if register is None:
            free = [one for one in _INPUTS if one not in self.held.values()]
            register = free[0] if free else self.held.pop(next(iter(self.held)))
            self.a(f"ldr {register}, [planes, #{offset(row + 4 * word)}]")
        self.held[word] = register
        return register

    def _finish(self, constants: int, out: int) -> None:
        a, finish, sums = self.a, self.finish, _SUMS[: self.columns]
        registers = _INPUTS[: finish.words]
        a(*(f"ldr {one}, [weights, #{constants + 4 * i}]" for i, one in enumerate(registers)))
        for sum_ in sums:
            a(*finish.requantize(sum_, registers, "r5"))
        for sum_ in sums:
            a(*finish.clamp(sum_))
        for column, sum_ in enumerate(sums):
            a(f"strb {sum_}, [y, #{offset(out + column * self.g.filters)}]")
