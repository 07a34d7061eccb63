"""CONV_2D of 1x1, and rows of inputs: two pixels are widened to 16 bits, then multiplied.

Inputs are read four at a time; what is behind a pixel meets weights of 0.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.few_units import few_units
from arenite.firmware.kernels.cortex_m.gemm import (
    REGISTERS,
    Products,
    emit_filters,
    pack_stream,
    padded_order,
)
from arenite.firmware.kernels.cortex_m.long_row import long_row
from arenite.firmware.kernels.cortex_m.row import one_row
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed_any
from arenite.firmware.kernels.cortex_m.weights import fully_connected_weights
from arenite.firmware.kernels.cortex_m.widen import WIDEN
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Arrays, Constant, Scratch, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.shared.convolution import ConvolutionParams
from arenite.ops.tflite.fully_connected import FullyConnectedParams

#: Words of a pixel that are widened without a loop, at most.
_STRAIGHT = 8


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """The kernel for rows of inputs."""
    return pointwise(layer, fully_connected_weights(layer))


def pointwise(layer: Layer[ConvolutionParams], weights: Int64s) -> Work:
    """The kernel for rows of inputs that weights ``(filters, depth)`` multiply."""
    short = one_row if layer.output.size == len(weights) else _pairs
    for kernel in (few_units, short):
        with suppress(UnsupportedError):
            return kernel(layer, weights)
    return long_row(layer, weights)


def _pairs(layer: Layer[ConvolutionParams], weights: Int64s) -> Work:
    """Two pixels at a time."""
    filters, depth = weights.shape
    pixels = layer.output.size // filters
    ordered = padded_order(weights)
    padded = 2 * ordered.shape[1]
    stream, how = packed_any(layer, weights, partial(pack_stream, ordered))
    pairs = (pixels + 1) // 2
    finish = finish_of(layer, how)
    shape = padded // 2, 2 * padded, filters, finish, pairs, layer.runs, layer.icache
    products = Products(*shape, loads_pairs=layer.loads_pairs)
    arrays: Arrays = {
        "x": layer.input(0),
        "stream": Constant("stream", stream),
        "int16_t *two_pixels": Scratch(4 * padded),
    }
    return work_of(
        layer,
        _code(products, depth),
        arrays,
        stem="pointwise",
        language="s",
        in_place=(0,),
        grows=filters > depth,
        room=(2 * pairs - pixels) * filters,
        read_room=(2 * pairs - pixels) * depth + padded - depth,
    )


def _code(p: Products, depth: int) -> str:
    """All pixels, two at a time; from the last on where the outputs would overtake the inputs."""
    a, pairs = Assembly(**REGISTERS), p.pairs
    backwards = p.filters > depth
    a.enter("x", "stream_start", "window", "inputs_end", "y", "at", "at_end", "pairs")
    if backwards:
        a.add("r0", 2 * (pairs - 1) * depth)
        a.add("r3", 2 * (pairs - 1) * p.filters)
    a("str r0, [x]", "str r1, [stream_start]", "str r2, [window]", "str r3, [y]")
    a.put("r4", pairs)
    a.add("r2", p.looped)
    a("str r4, [pairs]", "str r2, [inputs_end]", ".pixels:")
    a("ldr r0, [x]", "ldr r1, [window]")
    _emit_two_pixels(a, depth)
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


def _emit_two_pixels(a: Assembly, depth: int) -> None:
    """Two pixels to 16 bits, each with a whole number of words."""
    words = -(-depth // 4)
    if not depth % 8:  # as much of both in a turn as goes into them evenly
        a.add("r12", 4 * depth, "r1")
        a(".widen:", *(WIDEN[16] * (1 if depth % 16 else 2)), "cmp r1, r12", "bne .widen")
        return
    for pixel in "ab":
        turn = words if words <= _STRAIGHT else next(n for n in (4, 3, 2, 1) if words % n == 0)
        if turn < words:
            a.add("r12", 8 * words, "r1")
            a(f".widen_{pixel}:")
        a(*(WIDEN[4] * turn))
        if turn < words:
            a("cmp r1, r12", f"bne .widen_{pixel}")
        if depth % 4:
            a.add("r0", depth - 4 * words)
