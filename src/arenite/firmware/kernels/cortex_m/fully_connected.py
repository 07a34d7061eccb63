"""FULLY_CONNECTED: one row of inputs times four filters at a time.

So are convolutions of one output position whose window is all of the image.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.gemm import QUAD, emit_next_quad, expanded_order, pack_stream
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed
from arenite.firmware.kernels.cortex_m.weights import fully_connected_weights
from arenite.firmware.network.kernel import Constant, Routine, Scratch, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams
from arenite.ops.tflite.fully_connected import FullyConnectedParams

#: Layers of sums of products with weights.
Weighed: TypeAlias = FullyConnectedParams | Conv2DParams | DepthwiseConv2DParams
#: Steps of four inputs in one turn of the loop, at most.
_UNROLLED = 4
_REGISTERS = {
    "inputs": "r0",
    "stream": "r1",
    "x_even": "r2",
    "x_odd": "r3",
    "s1": "r4",
    "s3": "r5",
    "s0": "r6",
    "s2": "r7",
    "inputs_end": "lr",
}


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """The kernel for one row of inputs.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    return one_row(layer, fully_connected_weights(layer))


def one_row(layer: Layer[Weighed], weights: Int64s) -> Work:
    """The kernel for weights ``(filters, inputs)``, all of whose inputs are the layer's, in order.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    filters, depth = weights.shape
    # Inputs are read four at a time; what is behind them meets weights of 0.
    padded = -(-depth // 4) * 4
    ordered = np.pad(weights, ((0, 0), (0, padded - depth)))[:, expanded_order(padded)]
    stream, requantization = packed(layer, weights, partial(pack_stream, ordered))
    code = row_code(padded, filters, finish_of(layer, requantization))
    routine = Routine(
        "fully_connected",
        ("const int8_t *x", "const uint32_t *stream", "int16_t *row", "int8_t *y"),
        code,
        language="s",
        about=str(layer),
    )
    arguments = (layer.input(0), Constant("stream", stream), Scratch(2 * padded), layer.output)
    # All inputs are widened before the first output is written.
    return Work(routine, arguments, in_place=(0,), read_room=padded - depth)


def row_code(depth: int, filters: int, finish: Finish) -> str:
    """Inputs are widened once; then four filters at a time."""
    steps = depth // 4
    unrolled = next(n for n in range(_UNROLLED, 0, -1) if steps % n == 0)
    a = Assembly(**_REGISTERS)
    a.enter("row", "at", "at_end")
    a("str r2, [row]", "str r3, [at]")
    a.add("r3", filters)
    a("str r3, [at_end]")
    a.add("r12", depth, "r0")
    a(".widen:", "ldr r3, [r0], #4", "sxtb16 r4, r3", "sxtb16 r5, r3, ror #8")
    a("stm r2!, {r4, r5}", "cmp r0, r12", "bne .widen")
    a(".quads:", "ldr inputs, [row]", "ldm stream!, {s1, s3, s0, s2}")
    a.add("inputs_end", 2 * depth, "inputs")
    a(".inputs:")
    for step in range(unrolled):
        _emit_step(a, step)
    a.add("stream", 16 * unrolled)
    a.add("inputs", 8 * unrolled)
    a("cmp inputs, inputs_end", "bne .inputs", "sub s1, s1, s0", "sub s3, s3, s2")
    (_emit_signed if finish.signed else _emit_rising)(a)
    a("ldr lr, [at]", *(() if filters < QUAD else ("ldr r0, [at_end]",)))
    for filter_ in range(min(QUAD, filters)):
        a(*finish.clamp(f"s{filter_}", scaled=filter_ % 2 == 1))
        a(f"strb s{filter_}, [lr, #{filter_}]")
    emit_next_quad(a, filters)
    a.leave()
    return a.text()


def _emit_step(a: Assembly, step: int) -> None:
    """16 products of four inputs and four filters."""
    a(f"ldr x_even, [inputs, #{8 * step}]", f"ldr x_odd, [inputs, #{8 * step + 4}]")
    a(*(f"ldr r{8 + i}, [stream, #{16 * step + 4 * i}]" for i in range(4)))
    for x, (one, two) in (("x_even", ("r8", "r9")), ("x_odd", ("r10", "r11"))):
        a(f"smlad s1, {one}, {x}, s1", f"sxtb16 {one}, {one}")
        a(f"smlad s3, {two}, {x}, s3", f"sxtb16 {two}, {two}")
        a(f"smlad s0, {one}, {x}, s0", f"smlad s2, {two}, {x}, s2")


def _emit_rising(a: Assembly) -> None:
    for high, low in (("s1", "s0"), ("s3", "s2")):
        a("ldm stream!, {r2, r3, r8, r9}")
        a(f"smmla {high}, {high}, r2, r3", f"smmla {low}, {low}, r8, r9")


def _emit_signed(a: Assembly) -> None:
    for high, low in (("s1", "s0"), ("s3", "s2")):
        a("ldm stream!, {r2, r3, r8, r9, r10, r11}", f"lsl {low}, {low}, #8")
        a(f"and r12, r8, {high}, asr #31", f"smmla {high}, {high}, r2, r3")
        a(f"sub {high}, {high}, r12", f"and r12, r11, {low}, asr #31")
        a(f"smmla {low}, {low}, r9, r10", f"sub {low}, {low}, r12")
