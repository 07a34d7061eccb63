"""Rows of inputs whose sums leave 24 bits: those of the upper bytes are taken out on the way.

Whatever weights and inputs are, a segment of inputs adds less than 2^23 to a sum. Behind each one
the sums of two filters move to memory. All is requantised by TFLM's formula.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.exact import Exact
from arenite.firmware.kernels.cortex_m.gemm import QUAD, emit_next_quad, expanded_order, quads
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.row import REGISTERS, emit_steps, emit_widen
from arenite.firmware.kernels.cortex_m.sums import (
    Int64s,
    Words,
    finish_of,
    halfwords,
    reached,
    words,
)
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Arrays, Constant, Scratch, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.shared.convolution import ConvolutionParams

#: Steps of four inputs in a turn, and in a segment: 496 products of 2^14 at most.
_TURN, _SEGMENT = 4, 124
_C = templates(__name__)


def long_row(layer: Layer[ConvolutionParams], weights: Int64s) -> Work:
    """The kernel for rows of inputs and weights ``(filters, depth)``."""
    filters, depth = weights.shape
    padded = -(-depth // (4 * _TURN)) * 4 * _TURN
    bias, channels = reached(layer, weights)
    how = Exact(channels)
    stream = Constant("stream", _pack(weights, padded, bias, how))
    rows = layer.output.size // filters
    arrays: Arrays = {"x": layer.input(0), "stream": stream, "int16_t *row": Scratch(2 * padded)}
    room = padded - depth
    text = _code(depth, filters, finish_of(layer, how))
    one = work_of(layer, text, arrays, stem="long_row", language="s", in_place=(0,), read_room=room)
    if rows == 1 or one.routine is None:
        return one
    text, parts = fill(_C["rows"], rows=rows, depth=depth, filters=filters), (("row", one.routine),)
    return work_of(layer, text, arrays, stem="long_rows", parts=parts, read_room=room)


def _pack(weights: Int64s, padded: int, bias: Int64s, how: Exact) -> Words:
    """Per four filters: biases of the upper bytes' two, first sums, weights, constants."""
    weights = np.where(how.constant[:, None], 0, weights)
    bias = np.where(how.constant, 0, bias)
    spread = np.pad(weights, ((0, 0), (0, padded - weights.shape[1])))[:, expanded_order(padded)]
    parts = []
    for four in quads(len(weights)):
        lanes = spread[four].transpose(1, 0, 2)
        pairs = 256 * lanes[:, 1::2] + lanes[:, 0::2]
        if pairs.min() < -32768 or pairs.max() > 32767:
            raise UnsupportedError("two weights of -128 are neighbours")
        first = [int(bias[four[i]]) for i in (1, 3, 0, 2)]
        constants = [word for i in (1, 0, 3, 2) for word in how.stored(four[i], 1)[1]]
        parts += [words(first), halfwords(pairs), words(constants)]
    return np.concatenate(parts)


def _code(depth: int, filters: int, finish: Finish) -> str:
    a = Assembly(**REGISTERS)
    a.enter("row", "at", "at_end", "row_end", "upper1", "upper3")
    a("str r2, [row]", "str r3, [at]")
    a.add("r3", filters)
    a("str r3, [at_end]")
    emit_widen(a, depth, -(-depth // (4 * _TURN)) * 4 * _TURN)
    a("str r2, [row_end]")
    a(".quads_a:", "ldr inputs, [row]", "ldm stream!, {s1, s3, s0, s2}")
    a("str s1, [upper1]", "str s3, [upper3]", "mov s1, s0", "mov s3, s2", ".segments:")
    a.add("inputs_end", 8 * _SEGMENT, "inputs")
    a("ldr r12, [row_end]", "cmp inputs_end, r12", "it hi", "movhi inputs_end, r12", ".inputs:")
    emit_steps(a, _TURN, QUAD)
    a("cmp inputs, inputs_end", "bne .inputs")
    for high, low in (("s1", "s0"), ("s3", "s2")):
        a(f"sub {high}, {high}, {low}", f"ldr r12, [upper{high[1]}]")
        a(f"add r12, r12, {high}, asr #8", f"str r12, [upper{high[1]}]", f"mov {high}, {low}")
    a("ldr r12, [row_end]", "cmp inputs, r12", "bne .segments")
    a("ldr s1, [upper1]", "ldr s3, [upper3]")
    for sum_ in ("s1", "s0", "s3", "s2"):
        a("ldm stream!, {r2, r3, r8, r9}")
        a(*finish.requantize(sum_, ("r2", "r3", "r8", "r9"), "r12", scaled=False))
    a("ldr lr, [at]", *(() if filters < QUAD else ("ldr r0, [at_end]",)))
    for filter_ in range(min(QUAD, filters)):
        a(*finish.clamp(f"s{filter_}"), f"strb s{filter_}, [lr, #{filter_}]")
    emit_next_quad(a, filters, "a")
    a.leave()
    return a.text()
