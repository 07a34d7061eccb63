"""Loops of CMSIS-NN's functions for int4 weights.

Facts: CMSIS-NN ``Source`` ``ConvolutionFunctions/arm_convolve_*s4*.c``,
``arm_depthwise_conv_s4*.c``, ``FullyConnectedFunctions/arm_fully_connected_s4.c`` and the
``NNSupportFunctions`` that they call.
"""

from __future__ import annotations

from arenite.libraries import shapes
from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of, loops
from arenite.libraries.cmsis_nn.cost.loops.wide import im2col, times_by_channel
from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView
from arenite.target import Target


def convolve(view: NodeView, target: Target) -> list[Loop]:
    """im2col, then two positions at a time, or four with vectors."""
    return _im2col(view, target, f"{kernel_of(view)}, im2col")


def line(view: NodeView, target: Target) -> list[Loop]:
    """Along a line vectors take windows as they lie in memory, but at its ends."""
    name = "line" if target.instructions == "mve" else "im2col"
    return _im2col(view, target, f"{kernel_of(view)}, {name}")


def _im2col(view: NodeView, target: Target, kernel: str) -> list[Loop]:
    conv, mve = shapes.convolution(view), target.instructions == "mve"
    times, moved = im2col(kernel, conv, conv.input.c, 1 if mve else 2, target)
    if not mve:
        moved = [loop for loop in moved if loop.function == "memset"]
        times["tap, 4 values"] = times["tap"] * (conv.input.c // 4)
        times["tap, value"] = times["tap"] * (conv.input.c % 4)
    columns = conv.filter.h * conv.filter.w * conv.filter.c
    blocks, rest = (
        conv.input.n * n for n in divmod(conv.output.h * conv.output.w, 4 if mve else 2)
    )
    together = "4 positions" if mve else "2 positions"
    times |= {together: blocks}
    times |= blocks_of_channels(together, blocks, conv.output.c, columns, target)
    times |= blocks_of_channels("position", rest, conv.output.c, columns, target)
    return [*loops(kernel, times), *moved]


def blocks_of_channels(
    step: str, count: int, channels: int, columns: int, target: Target
) -> dict[str, int]:
    """Four channels at a time, the others one by one; columns in blocks, odd ones apart."""
    blocks, rest = divmod(channels, 4)
    size = 16 if target.instructions == "mve" else 4
    inner, left = divmod(columns, size)
    times: dict[str, int] = {}
    for name, n in ((f"{step}, 4 channels", count * blocks), (f"{step}, channel", count * rest)):
        times |= {
            name: n,
            f"{name}, {size} columns": n * inner,
            f"{name}, 2 columns": n * (left // 2),
            f"{name}, odd column": n * (left % 2),
        }
    return times


def pixels(view: NodeView, target: Target) -> list[Loop]:
    """1x1: two pixels at a time, or four with vectors, of all pixels or of every row."""
    conv, kernel = shapes.convolution(view), f"{kernel_of(view)}, 1x1"
    whole = (conv.stride.h, conv.stride.w) == (1, 1)
    kernel += "" if whole else ", with steps"
    calls = 1 if whole else conv.input.n * conv.output.h
    width = conv.input.n * conv.output.h * conv.output.w // max(calls, 1)
    blocks, rest = divmod(width, 4 if target.instructions == "mve" else 2)
    times = {"product": calls}
    times |= blocks_of_channels(
        "pixels", calls * blocks, conv.output.c, conv.input.c, target
    ) | blocks_of_channels("last pixel", calls * rest, conv.output.c, conv.input.c, target)
    return loops(kernel, times)


def depthwise(view: NodeView, target: Target) -> list[Loop]:
    """Windows of all channels in memory; four channels at a time."""
    conv, kernel = shapes.depthwise_convolution(view), kernel_of(view)
    mve = target.instructions == "mve"
    kernel += ", odd channels" if conv.input.c % 2 else ""
    times, moved = im2col(kernel, conv, conv.input.c, 1 if mve else 2, target)
    if not mve:
        moved = [loop for loop in moved if loop.function == "memset"]
        times["tap, 4 values"] = times["tap"] * (conv.input.c // 4)
        times["tap, value"] = times["tap"] * (conv.input.c % 4)
    positions = conv.output.h * conv.output.w
    taps = conv.filter.h * conv.filter.w
    fours, rest = divmod(conv.input.c, 4)
    if mve:
        fours, rest = fours + (rest > 0), 0
    times |= {
        "4 channels": positions * fours,
        "4 channels, 2 taps": positions * fours * (taps // 2),
        "4 channels, last tap": positions * fours * (taps % 2),
        "channel": positions * rest,
        "channel, tap": positions * rest * taps,
        "4 positions": positions // 4 if mve else 0,
        "4 positions, 4 channels": positions // 4 * fours if mve else 0,
        "4 positions, 4 channels, tap": positions // 4 * fours * taps if mve else 0,
    }
    return [*loops(kernel, times), *moved]


def depthwise_generic(view: NodeView, target: Target) -> list[Loop]:
    """Channel by channel, two at a time where their weights share a byte and one sum's end."""
    conv = shapes.depthwise_convolution(view)
    order = "odd channels, one by one"
    if conv.input.c % 2 == 0:
        in_pairs = conv.ch_mult == 1 or conv.ch_mult % 2 == 0
        order = "two by two" if in_pairs else "one by one"
    times = times_by_channel(conv)
    dilated = (conv.dilation.h, conv.dilation.w) != (1, 1)
    times["dilated channel"] = times["channel"] if dilated else 0
    return loops(f"{kernel_of(view)}, {order}", times)


def fully_connected(view: NodeView, target: Target) -> list[Loop]:
    """A product for every row of the input."""
    layer = shapes.fully_connected(view)
    times = {"row": layer.batches}
    times |= blocks_of_channels("row", layer.batches, layer.units, layer.depth, target)
    kernel = kernel_of(view) + (", odd depth" if layer.depth % 2 else "")
    return loops(kernel, times)


FUNCTIONS = {
    "arm_convolve_1_x_n_s4": line,
    "arm_convolve_1x1_s4": pixels,
    "arm_convolve_1x1_s4_fast": pixels,
    "arm_convolve_even_s4": convolve,
    "arm_convolve_s4": convolve,
    "arm_depthwise_conv_s4": depthwise_generic,
    "arm_depthwise_conv_s4_opt": depthwise,
    "arm_fully_connected_s4": fully_connected,
}
