"""One or two units, rows of inputs: nothing is widened to memory, as no other unit would read it.

Weights are 16 bits wide, which few units have flash for.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.gemm import expanded_order, turn_of
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import (
    How,
    Int64s,
    Words,
    finish_of,
    halfwords,
    packed_any,
    words,
)
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Arrays, Constant, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.shared.convolution import ConvolutionParams

#: Units, inputs of a step, steps in a turn of the loop, bytes of weights: at most.
_UNITS, _STEP, _UNROLLED, _MOST = 2, 8, 4, 1 << 13
_SUMS = ("r4", "r5")


def few_units(layer: Layer[ConvolutionParams], weights: Int64s) -> Work:
    """The kernel for rows of inputs and weights ``(units, depth)``."""
    units, depth = weights.shape
    if units > _UNITS or 2 * weights.size > _MOST:
        raise UnsupportedError(f"expected {_UNITS} units of few weights at most")
    padded = -(-depth // _STEP) * _STEP
    stream, how = packed_any(layer, weights, partial(_pack, weights))
    text = code(layer.output.size // units, depth, units, finish_of(layer, how))
    arrays: Arrays = {"x": layer.input(0), "stream": Constant("stream", stream)}
    placed = {"in_place": (0,) if units <= depth else (), "read_room": padded - depth}
    return work_of(layer, text, arrays, stem="few_units", language="s", **placed)


def _pack(weights: Int64s, bias: Int64s, how: How) -> Words:
    """First sums, weights of eight inputs of each unit in turn, constants."""
    units, depth = weights.shape
    padded = np.pad(weights, ((0, 0), (0, -depth % _STEP))) * ~how.constant[:, None]
    ordered = padded[:, expanded_order(padded.shape[1])].reshape(units, -1, _STEP)
    stored = [how.stored_alone(unit) for unit in range(units)]
    first = [
        more + (0 if how.constant[unit] else int(bias[unit]))
        for unit, (more, _) in enumerate(stored)
    ]
    constants = [number for _, numbers in stored for number in numbers]
    return np.concatenate([words(first), halfwords(ordered.swapaxes(0, 1)), words(constants)])


def code(rows: int, depth: int, units: int, finish: Finish) -> str:
    """All rows."""
    steps = -(-depth // _STEP)
    turn = steps if steps <= _UNROLLED else turn_of(steps, _UNROLLED)
    a = Assembly(x="r0", stream="r1", y="r2", end="r3")
    # Rows of whole words begin at one; LDM takes no others.
    pair = ("ldr r6, [x], #4", "ldr r8, [x], #4") if depth % 4 else ("ldm x!, {r6, r8}",)
    a.enter("stream_start", "rows")
    a.put("r4", rows)
    a("str r1, [stream_start]", "str r4, [rows]", ".rows:")
    a(*(f"ldr {sum_}, [stream], #4" for sum_ in _SUMS[:units]))
    if turn < steps:
        a.add("end", _STEP * (steps - steps % turn), "x")
        a(".inputs:")
        _emit_steps(a, turn, units, pair)
        a("cmp x, end", "bne .inputs")
    _emit_steps(a, steps % turn if turn < steps else turn, units, pair)
    for sum_ in _SUMS[:units]:
        constants = ("r6", "r7", "r8", "r9")[: finish.words]
        a(f"ldm stream!, {{{', '.join(constants)}}}")
        a(*finish.requantize(sum_, constants, "r12", scaled=False))
        a(*finish.clamp(sum_, scaled=False), f"strb {sum_}, [y], #1")
    a.add("x", depth - _STEP * steps)
    a("ldr r4, [rows]", "ldr stream, [stream_start]")
    a("subs r4, r4, #1", "str r4, [rows]", "bne .rows")
    a.leave()
    return a.text()


def _emit_steps(a: Assembly, count: int, units: int, pair: tuple[str, ...]) -> None:
    """Products of eight inputs a step."""
    for _ in range(count):
        a(*pair, "sxtb16 r7, r6, ror #8", "sxtb16 r6, r6")
        a("sxtb16 r9, r8, ror #8", "sxtb16 r8, r8")
        for sum_ in _SUMS[:units]:
            a("ldm stream!, {r10-r12, lr}")
            pairs = zip(("r6", "r7", "r8", "r9"), ("r10", "r11", "r12", "lr"), strict=True)
            a(*(f"smlad {sum_}, {x}, {w}, {sum_}" for x, w in pairs))
