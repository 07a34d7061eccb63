"""CONV_2D and FULLY_CONNECTED: a row of inputs times four filters at a time.

Inputs and weights are stored with 128 added, so that LDRB takes both: a product of each is one
MULS. What that adds to a sum is known of the weights; of the inputs it is counted while they are
copied, and is the same for all filters. Sums may wrap on the way. Three filters, of a layer or of
each of its groups, are done at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.gemm import QUAD, quads
from arenite.firmware.kernels.cortex_m.sums import Int64s, Words, reached, words
from arenite.firmware.kernels.cortex_m.weights import (
    convolution_weights,
    fully_connected_weights,
)
from arenite.firmware.kernels.cortex_m0.requantize import SHIFT, Requantization, requantized
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.windows import geometry
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
from arenite.ops.tflite.fully_connected import FullyConnectedParams

#: Inputs in a turn of the loop: a conditional branch goes back 256 bytes at most.
_TURN = 8
_MOST = 1 << 16
#: Filters that read a row, below which copying it first takes longer than C that does not.
_FEWEST = 3
_C = templates(__name__)


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """The kernel for rows of inputs."""
    return _rows(layer, fully_connected_weights(layer), "fully_connected_rows")


def conv_2d(layer: Layer[Conv2DParams]) -> Work:
    """The kernel for a convolution."""
    window, weights = layer.params.window, convolution_weights(layer)
    rows, groups = weights.reshape(len(weights), -1), layer.params.groups
    if groups > 1 or window.dilation[1] > 1:
        return _taps(layer, rows)
    if window.filter_size == window.stride == (1, 1):
        return _rows(layer, rows, "pointwise_rows")
    return _windows(layer, rows)


def _rows(layer: Layer[Any], weights: Int64s, stem: str) -> Work:
    filters, depth = weights.shape
    rows = layer.output.size // filters
    grows = filters > depth
    # From the last row on where the outputs would overtake the inputs.
    values = {"rows": rows, "row": f"{rows - 1} - i" if grows else "i", "depth": depth}
    return _work(layer, weights, stem, values, in_place=(0,), grows=grows)


def _windows(layer: Layer[Conv2DParams], weights: Int64s) -> Work:
    """A window is some rows, each of all channels of neighbouring columns."""
    window, (_, _, width, depth) = layer.params.window, layer.input(0).shape
    values = geometry(layer) | {
        **{"run": window.filter_size[1] * depth, "row_in": width * depth},
        **{"across": window.stride[1] * depth, "left": window.padding[1] * depth},
    }
    return _work(layer, weights, "windows", values)


def _taps(layer: Layer[Conv2DParams], weights: Int64s) -> Work:
    """A window is some taps, each of a group's channels."""
    groups = layer.params.groups
    values = {"groups": groups, "depth": layer.input(0).shape[3] // groups}
    return _work(layer, weights, "taps", geometry(layer) | values, groups)


def _work(
    layer: Layer[Any],
    weights: Int64s,
    stem: str,
    values: Mapping[str, Any],
    groups: int = 1,
    **placed: Any,
) -> Work:
    """A driver in C, and what multiplies a row."""
    filters, depth = len(weights) // groups, weights.shape[1]
    if filters < _FEWEST or depth >= _MOST:
        raise UnsupportedError(f"expected {_FEWEST} filters or more of under {_MOST} weights")
    bias, channels = reached(layer, weights)
    limits = int(layer.params.activation_min), int(layer.params.activation_max)
    how = requantized(channels, *limits)
    streams = [
        _stream(weights, bias, how, range(first, first + filters))
        for first in range(0, len(weights), filters)
    ]
    row = Routine(
        "row",
        ("const uint8_t *inputs", "const uint32_t *stream", "int32_t more", "int8_t *y"),
        row_code(depth, filters, how),
        language="s",
        about=f"a position of {layer}",
    )
    zero = 128 - layer.params.input_offset
    text = fill(
        _C[stem.rpartition("_")[2]],
        **values,
        **{"filters": filters, "words": streams[0].size},
        **{"zero": zero, "zeros": zero * depth},
    )
    rows, fours = layer.output.size // filters, _quads(range(filters))
    products = len(fours) * (len(fours[0]) * (4 * depth + 25) + 2 * depth + 10)
    cycles = rows * (products + 9 * depth + 80)
    arrays: Arrays = {
        "x": layer.input(0),
        "stream": Constant("stream", np.concatenate(streams)),
        "uint8_t *inputs": Scratch(depth),
    }
    parts = (("row", row),)
    return work_of(layer, text, arrays, stem=stem, parts=parts, cycles=cycles, **placed)


def _quads(filters: range) -> list[list[int]]:
    """Filters four at a time, or all there are."""
    return [[filters[i] for i in four[: min(QUAD, len(filters))]] for four in quads(len(filters))]


# -- constants ----------------------------------------------------------------------------


def _stream(weights: Int64s, bias: Int64s, how: Requantization, filters: range) -> Words:
    """Of every four filters first sums, weights input by input, and constants of each."""
    base = np.array([one.base for one in how.channels], np.int64)
    first = bias - base - 128 * weights.sum(axis=1)
    stored, parts = (weights + 128).astype(np.uint8), []
    for four in _quads(filters):
        own = stored[four].T.reshape(-1)
        whole = np.pad(own, (0, -own.size % 4)).view("<u4").astype(np.uint32)
        parts += [words(first[four].tolist()), whole]
        parts += [words(how.words(c)) for c in four]
    return np.concatenate(parts)


# -- code ---------------------------------------------------------------------------------


def row_code(depth: int, filters: int, how: Requantization) -> str:
    """All filters for one row of inputs.

    r8 is where inputs of whole turns end, r9 where outputs go, r10 what is added to every sum, r11
    where outputs end, r12 where inputs begin.
    """
    (turns, rest), sums = divmod(depth, _TURN), [f"r{4 + i}" for i in range(min(QUAD, filters))]
    a = Assembly(inputs="r0", stream="r1", x="r2", w="r3")
    a("push {r4-r7, lr}", *(f"mov r{4 + i}, r{8 + i}" for i in range(4)), "push {r4-r7}")
    a("mov r12, r0", "mov r10, r2", "mov r9, r3")
    for to, start, size in (("r8", "r0", _TURN * turns), ("r11", "r3", filters)):
        a(f"movs r4, #{size >> 8}", "lsls r4, r4, #8", f"adds r4, #{size & 255}")
        a(f"adds r4, r4, {start}", f"mov {to}, r4")
    a(".quads:", f"ldmia stream!, {{{', '.join(sums)}}}", "mov inputs, r12", "mov x, r10")
    a(*(f"adds {s}, {s}, x" for s in sums))
    if turns:
        a(".inputs:")
        _emit_products(a, _TURN, sums)
        a(f"adds inputs, #{_TURN}", "cmp inputs, r8", "bne .inputs")
    _emit_products(a, rest, sums)
    if unused := -depth * len(sums) % 4:
        a(f"adds stream, #{unused}")
    for s in sums:
        _emit_requantized(a, s, how)
    a("mov r0, r9", *(f"strb {s}, [r0, #{i}]" for i, s in enumerate(sums)))
    if filters > QUAD:
        _emit_next_quad(a, filters)
    a("pop {r4-r7}", *(f"mov r{8 + i}, r{4 + i}" for i in range(4)), "pop {r4-r7, pc}")
    return a.text()


def _emit_products(a: Assembly, count: int, sums: Sequence[str]) -> None:
    """Multiply ``count`` inputs with some filters."""
    for i in range(count):
        a(f"ldrb x, [inputs, #{i}]")
        for k, s in enumerate(sums):
            a(f"ldrb w, [stream, #{len(sums) * i + k}]", "muls w, x, w", f"adds {s}, {s}, w")
    if count:
        a(f"adds stream, #{len(sums) * count}")


def _emit_requantized(a: Assembly, s: str, how: Requantization) -> None:
    """An output from a sum; r0 to r3 are taken, of which r1 moves on."""
    a(f"asrs r0, {s}, #31", f"bics {s}, {s}, r0", "ldmia stream!, {r0, r2}")
    a(f"subs {s}, r0, {s}", f"asrs r0, {s}, #31", f"bics {s}, {s}, r0")
    a(f"muls r2, {s}, r2", f"lsrs r2, r2, #{how.bits}")
    for _ in range(how.parts - 1):
        a(
            "ldmia stream!, {r0}",
            f"muls r0, {s}, r0",
            "adds r2, r2, r0",
            f"lsrs r2, r2, #{how.bits}",
        )
    a("ldmia stream!, {r0, r3}", f"muls r0, {s}, r0", "adds r2, r2, r0", "adds r2, r2, r3")
    if how.signed:
        a("ldmia stream!, {r0, r3}", f"subs {s}, r0, {s}", f"asrs {s}, {s}, #31")
        a(f"ands {s}, {s}, r3", f"subs r2, r2, {s}")
    a(f"asrs {s}, r2, #{SHIFT}")


def _emit_next_quad(a: Assembly, filters: int) -> None:
    """On to the next four; the last four may begin with some that were done before."""
    a("adds r0, #4", "cmp r0, r11", "beq .filled")
    if filters % QUAD:
        a("mov r2, r11", "subs r2, #4", "cmp r0, r2", "bls .next", "mov r0, r2", ".next:")
    a("mov r9, r0", "b .quads", ".filled:")
