"""One row of inputs times four filters at a time."""

from __future__ import annotations

from functools import partial

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.gemm import (
    QUAD,
    emit_next_quad,
    pack_stream,
    padded_order,
    quads,
    turn_of,
)
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, packed_any
from arenite.firmware.kernels.cortex_m.widen import WIDEN
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Arrays, Constant, Scratch, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.shared.convolution import ConvolutionParams

#: Steps of four inputs in one turn of the loop, at most: where it runs often, and elsewhere.
_UNROLLED, _UNROLLED_COLD = 8, 4
#: Steps of four filters from which on a loop runs often: half as many turns take 220 bytes.
_OFTEN = 800
REGISTERS = {
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


def one_row(layer: Layer[ConvolutionParams], weights: Int64s) -> Work:
    """The kernel for one row of inputs and weights ``(filters, depth)``."""
    filters, depth = weights.shape
    ordered = padded_order(weights)
    padded = 2 * ordered.shape[1]
    stream, how = packed_any(layer, weights, partial(pack_stream, ordered))
    text = row_code(depth, filters, finish_of(layer, how))
    arrays: Arrays = {
        "x": layer.input(0),
        "stream": Constant("stream", stream),
        "int16_t *row": Scratch(2 * padded),
    }
    # All inputs are widened before the first output is written.
    placed = {"in_place": (0,), "read_room": padded - depth}
    return work_of(layer, text, arrays, stem="fully_connected", language="s", **placed)


def row_code(depth: int, filters: int, finish: Finish) -> str:
    """Inputs are widened once; then four filters at a time."""
    padded = -(-depth // 4) * 4
    a = Assembly(**REGISTERS)
    a.enter("row", "at", "at_end")
    a("str r2, [row]", "str r3, [at]")
    a.add("r3", filters)
    a("str r3, [at_end]")
    emit_widen(a, depth, padded)
    a(".quads_a:", "ldr inputs, [row]", "ldm stream!, {s1, s3, s0, s2}")
    _emit_sums(a, padded, filters)
    a(*(f"sub s{i}, s{i}, s{i - 1}" for i in (1, 3) if i < filters))
    _emit_requantized(a, finish, filters)
    a("ldr lr, [at]", *(() if filters < QUAD else ("ldr r0, [at_end]",)))
    for filter_ in range(min(QUAD, filters)):
        a(*finish.clamp(f"s{filter_}", scaled=filter_ % 2 == 1))
        a(f"strb s{filter_}, [lr, #{filter_}]")
    emit_next_quad(a, filters, "a")
    a.leave()
    return a.text()


def emit_widen(a: Assembly, depth: int, padded: int) -> None:
    """Inputs at r0 to 16 bits at r2, ``padded`` of them; r1 stays.

    Rows of whole words begin at one; LDM takes no others.
    """
    turn = 4 if depth % 4 else next(n for n in (16, 8, 4) if padded % n == 0)
    a.add("r12", padded, "r0")
    a("mov r10, r1", "mov r1, r2", ".widen:", *WIDEN[turn], "cmp r0, r12", "bne .widen")
    a("mov r2, r1", "mov r1, r10")


def sums_code(depth: int) -> str:
    """Sums of four filters, from inputs that are widened already."""
    a = Assembly(**REGISTERS)
    a("push {r4-r11, lr}", "mov r12, r2", "ldm stream!, {s1, s3, s0, s2}")
    _emit_sums(a, depth, QUAD)
    a("sub s1, s1, s0", "sub s3, s3, s2", "asr s1, s1, #8", "asr s3, s3, #8")
    a(*(f"str s{i}, [r12, #{4 * i}]" for i in range(QUAD)), "pop {r4-r11, pc}")
    return a.text()


def _emit_sums(a: Assembly, depth: int, filters: int) -> None:
    """All products of up to four filters."""
    steps = depth // 4
    most = _UNROLLED if steps * len(quads(filters)) >= _OFTEN else _UNROLLED_COLD
    turn = steps if steps <= most else turn_of(steps, most)
    a.add("inputs_end", 8 * (steps - steps % turn), "inputs")
    a(".inputs:")
    emit_steps(a, turn, filters)
    a("cmp inputs, inputs_end", "bne .inputs")
    emit_steps(a, steps % turn, filters)


def emit_steps(a: Assembly, count: int, filters: int) -> None:
    """Products of four inputs a step and up to four filters."""
    for _ in range(count):
        a("ldm inputs!, {x_even, x_odd}", "ldm stream!, {r8-r11}")
        for i in range(4) if filters > 2 else (0, 2):
            x, low = ("x_even", "x_odd")[i // 2], 2 * (i % 2)
            a(*((f"smlad s{low + 1}, r{8 + i}, {x}, s{low + 1}",) if low + 1 < filters else ()))
            a(f"sxtb16 r{8 + i}, r{8 + i}", f"smlad s{low}, r{8 + i}, {x}, s{low}")


def _emit_requantized(a: Assembly, finish: Finish, filters: int) -> None:
    free = ("r2", "r3", "r8", "r9", "r10", "r11")
    at_once = 1 if finish.form == "exact" else 2
    order = (1, 0, 3, 2)
    for first in range(0, QUAD, at_once):
        taken = free[: at_once * finish.words]
        a(f"ldm stream!, {{{', '.join(taken)}}}")
        for number, filter_ in enumerate(order[first : first + at_once]):
            constants = taken[number * finish.words :][: finish.words]
            if filter_ < filters:
                a(*finish.requantize(f"s{filter_}", constants, "r12", scaled=filter_ in (1, 3)))
