"""DEPTHWISE_CONV_2D of one output position whose window is all of the image, as streams have it.

Four channels at a time, two taps at once: halves of their words make pairs of one channel's inputs,
which a product of two pairs takes. Inputs are read where they lie.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import How, Int64s, finish_of, packed_any, words
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Arrays, Constant, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

#: Channels that are done at once.
_GROUP = 4
#: Pairs of taps in one turn of a loop, and as many that there is no loop.
_UNROLLED, _STRAIGHT = 2, 3
_SUMS = ("r4", "r5", "r6", "r7")


def depthwise_column(layer: Layer[DepthwiseConv2DParams], weights: Int64s) -> Work:
    """The kernel for weights ``(channels, height, width)``."""
    channels, taps = len(weights), weights[0].size
    window = layer.params.window
    if (layer.output.size, layer.input(0).size) != (channels, channels * taps):
        raise UnsupportedError("expected one position whose window is all of the image")
    if any(window.padding) or channels % _GROUP:
        raise UnsupportedError(f"expected no padding and channels by {_GROUP}")
    rows = weights.reshape(channels, taps)
    stream, how = packed_any(layer, rows, partial(_pack, rows))
    text = code(channels, taps, finish_of(layer, how))
    arrays: Arrays = {"x": layer.input(0), "stream": Constant("stream", stream)}
    # A channel's inputs are read before its output is written.
    return work_of(layer, text, arrays, stem="depthwise_column", language="s", in_place=(0,))


# -- constants ----------------------------------------------------------------------------


def _pack(weights: Int64s, bias: Int64s, how: How) -> npt.NDArray[np.uint32]:
    """Of four channels: first sums, weights of two taps at a time, constants."""
    taps = weights.shape[1]
    even = np.pad(weights, ((0, 0), (0, taps % 2)))
    parts = []
    for group in np.arange(len(weights)).reshape(-1, _GROUP).tolist():
        found = [how.stored_alone(channel) for channel in group]
        varies = ~how.constant[group]
        first = [
            more + int(bias[c]) * int(v)
            for c, (more, _), v in zip(group, found, varies, strict=True)
        ]
        # (channels 0 and 1 or 2 and 3, their number there, pairs of taps, tap)
        pairs = (even[group] * varies[:, None]).reshape(2, 2, -1, 2).transpose(2, 0, 3, 1)
        parts += [words(first), np.ascontiguousarray(pairs, np.int8).reshape(-1).view("<u4")]
        parts.append(words([number for _, constants in found for number in constants]))
    return np.concatenate(parts)


# -- code ---------------------------------------------------------------------------------


def code(channels: int, taps: int, finish: Finish) -> str:
    """All channels, four at a time."""
    pairs = taps // 2
    turns = pairs // _UNROLLED if pairs > _STRAIGHT else 0
    a = Assembly(x="r0", stream="r1", x_0="r8", x_1="r9")
    a.enter("x_at", "at", "at_end")
    a("str r0, [x_at]", "str r2, [at]")
    a.add("r2", channels)
    a("str r2, [at_end]", ".channels:", f"ldm stream!, {{{', '.join(_SUMS)}}}")
    if turns:
        a.add("lr", 2 * _UNROLLED * turns * channels, "x")
        a(".taps:")
        for pair in range(_UNROLLED):
            _emit_pair(a, 2 * pair * channels, channels)
        a.add("x", 2 * _UNROLLED * channels)
        a("cmp x, lr", "bne .taps")
    left = pairs - _UNROLLED * turns
    for pair in range(left):
        _emit_pair(a, 2 * pair * channels, channels)
    if taps % 2:  # the other one's weights are 0
        _emit_pair(a, 2 * left * channels, 0)
    _emit_requantized(a, finish)
    for sum_ in _SUMS:
        a(*finish.clamp(sum_, scaled=False))
    a("ldr lr, [at]", "ldr r2, [at_end]", "ldr x, [x_at]")
    a(*(f"strb {sum_}, [lr, #{i}]" for i, sum_ in enumerate(_SUMS)))
    a("add lr, lr, #4", "add x, x, #4", "str lr, [at]", "str x, [x_at]")
    a("cmp lr, r2", "bne .channels")
    a.leave()
    return a.text()


def _emit_pair(a: Assembly, at: int, distance: int) -> None:
    """Eight products: two taps of four channels."""
    a(f"ldr x_0, [x, #{offset(at)}]", f"ldr x_1, [x, #{offset(at + distance)}]")
    a("ldm stream!, {r10, r11}")
    a("pkhbt r2, x_0, x_1, lsl #16", "pkhtb r3, x_1, x_0, asr #16")
    for inputs, taps, (even, odd) in (("r2", "r10", _SUMS[:2]), ("r3", "r11", _SUMS[2:])):
        a(f"sxtb16 r8, {inputs}", f"sxtb16 r9, {inputs}, ror #8")
        a(f"sxtb16 r12, {taps}", f"sxtb16 {taps}, {taps}, ror #8")
        a(f"smlad {even}, r8, r12, {even}", f"smlad {odd}, r9, {taps}, {odd}")


def _emit_requantized(a: Assembly, finish: Finish) -> None:
    """Constants of a channel at a time, of two where that many registers are free."""
    free = ("r2", "r3", "r8", "r9")
    at_once = len(free) // finish.words
    for first in range(0, _GROUP, at_once):
        a(f"ldm stream!, {{{', '.join(free[: at_once * finish.words])}}}")
        for number, sum_ in enumerate(_SUMS[first : first + at_once]):
            constants = free[number * finish.words :][: finish.words]
            a(*finish.requantize(sum_, constants, "r12", scaled=False))
