"""Loops of DEPTHWISE_CONV_2D.

Facts: CMSIS-NN ``Source/ConvolutionFunctions/arm_depthwise_conv_*.c`` and
``NNSupportFunctions/arm_nn_depthwise_conv_nt_t_s8.c``.
"""

from __future__ import annotations

from arenite.libraries.cmsis_nn.cost.loops.convolution import arm_convolve_wrapper_s8
from arenite.libraries.cmsis_nn.cost.loops.copies import copies, fills, memset
from arenite.libraries.cmsis_nn.cost.loops.layers import arm_transpose_s8
from arenite.libraries.cmsis_nn.decisions.depthwise_conv_2d import CH_IN_BLOCK_MVE, as_convolution
from arenite.libraries.costs import Loop
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, axis_inside, taps_inside
from arenite.target import Target


def arm_depthwise_conv_3x3_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """Four channels at a time; rows and outer columns of taps outside of the image are left out."""
    name = "arm_depthwise_conv_3x3_s8"
    fours, rest = divmod(conv.input.c, 4)
    positions = conv.output.h * conv.output.w
    rows = axis_inside(conv, "h") * conv.output.w
    outer = taps_inside(conv) - rows
    return [
        Loop(name, "call", 1),
        Loop(name, "row", conv.output.h),
        Loop(name, "position", positions),
        Loop(name, "4 channels", positions * fours),
        Loop(name, "4 channels, row of taps", rows * fours),
        Loop(name, "4 channels, outer tap", outer * fours),
        Loop(name, "channel", positions * rest),
        Loop(name, "channel, row of taps", rows * rest),
        Loop(name, "channel, outer tap", outer * rest),
    ]


def arm_depthwise_conv_s8_opt(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """A window of all channels in memory, then four channels at a time; without DSP none is."""
    if target.instructions == "mve":
        return _opt_of_vectors(conv, target)
    if target.instructions == "plain":
        return _channel_by_channel(conv, "depthwise_conv_s8_generic")
    name = "arm_depthwise_conv_s8_opt"
    channels, taps = conv.input.c, conv.filter.h * conv.filter.w
    fours, rest = divmod(channels, 4)
    pairs, odd = divmod(taps, 2)
    positions = conv.output.h * conv.output.w
    inside = taps_inside(conv)
    rows = axis_inside(conv, "h") * conv.output.w
    outside = rows * conv.filter.w - inside
    empty = conv.output.h * conv.filter.h * conv.output.w - rows
    to_s16 = "arm_q7_to_q15_with_offset"
    return [
        Loop(name, "call", 1),
        Loop(name, "position", positions),
        Loop(name, "row of taps", rows),
        Loop(name, "tap", inside + outside),
        Loop(to_s16, "call", inside),
        Loop(to_s16, "4 values", inside * fours),
        Loop(to_s16, "value", inside * rest),
        *memset(outside, 2 * channels),
        *memset(empty, 2 * channels * conv.filter.w),
        Loop(name, "4 channels", positions * fours),
        Loop(name, "4 channels, 2 taps", positions * fours * pairs),
        Loop(name, "4 channels, last tap", positions * fours * odd),
        Loop(name, "channel", positions * rest),
        Loop(name, "channel, tap", positions * rest * taps),
    ]


def _opt_of_vectors(conv: ConvShape, target: Target) -> list[Loop]:
    """Blocks of channels; four positions at a time, the last ones by themselves."""
    name, product = "arm_depthwise_conv_s8_opt", "arm_nn_depthwise_conv_nt_t_s8"
    taps, positions = conv.filter.h * conv.filter.w, conv.output.h * conv.output.w
    inside = taps_inside(conv)
    outside = positions * taps - inside
    blocks = _blocks(conv.input.c, CH_IN_BLOCK_MVE)
    fours = sum(-(-block // 4) for block in blocks)
    loops = [Loop(name, "block", len(blocks))]
    for block in blocks:
        loops += copies(name, inside, block, target) + fills(name, outside, block, target)
    return [
        *loops,
        Loop(name, "position", positions * len(blocks)),
        Loop(name, "row of taps", positions * conv.filter.h * len(blocks)),
        Loop(name, "tap", inside * len(blocks)),
        Loop(name, "padding", outside * len(blocks)),
        Loop(product, "call", positions // 4 * len(blocks)),
        Loop(product, "4 channels", positions // 4 * fours),
        Loop(product, "4 channels, tap", positions // 4 * fours * taps),
        Loop(name, "last position", positions % 4 * len(blocks)),
        Loop(name, "last position, 4 channels", positions % 4 * fours),
        Loop(name, "last position, 4 channels, tap", positions % 4 * fours * taps),
    ]


def _blocks(channels: int, size: int) -> list[int]:
    return [min(size, channels - start) for start in range(0, channels, size)]


def arm_depthwise_conv_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """Output channel by output channel, or four of one input channel at a time."""
    return _channel_by_channel(conv, path.calls[-1])


def _channel_by_channel(conv: ConvShape, name: str) -> list[Loop]:
    positions = conv.input.n * conv.output.h * conv.output.w
    rows = conv.input.n * axis_inside(conv, "h") * conv.output.w
    taps = conv.input.n * taps_inside(conv)
    step, groups = "channel", conv.output.c
    if name == "depthwise_conv_s8_mult_4":
        step, groups = "4 channels", conv.output.c // 4
    return [
        Loop(name, "call", 1),
        Loop(name, "position", positions),
        Loop(name, "input channel", positions * conv.input.c),
        Loop(name, step, positions * groups),
        Loop(name, f"{step}, row of taps", rows * groups),
        Loop(name, f"{step}, tap", taps * groups),
    ]


def arm_depthwise_conv_to_conv_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """The filter is transposed, then it is a convolution of one input channel."""
    taps, inner = conv.filter, path.inner
    assert inner is not None
    return [
        *arm_transpose_s8((taps.n, taps.h, taps.w, taps.c), (3, 1, 2, 0), target),
        *arm_convolve_wrapper_s8(as_convolution(conv), inner, target),
    ]


def arm_depthwise_conv_wrapper_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """The loops of the path that ``arm_depthwise_conv_wrapper_s8`` takes."""
    return FUNCTIONS[path.function](conv, path, target)


FUNCTIONS = {
    function.__name__: function
    for function in (
        arm_depthwise_conv_3x3_s8,
        arm_depthwise_conv_s8,
        arm_depthwise_conv_s8_opt,
        arm_depthwise_conv_to_conv_s8,
    )
}
