"""Loops of CMSIS-NN's functions for int16 activations, and of matrix products of two tensors.

Facts: CMSIS-NN ``Source`` ``ConvolutionFunctions/arm_convolve_s16.c``,
``arm_depthwise_conv_s16.c``, ``PoolingFunctions/*_s16.c``,
``FullyConnectedFunctions/arm_fully_connected_s16.c``, ``arm_batch_matmul_*.c``.
"""

from __future__ import annotations

from math import prod

from arenite.libraries import shapes
from arenite.libraries.cmsis_nn.cost.loops.copies import copies, fills
from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of, loops
from arenite.libraries.costs import Loop
from arenite.libraries.shapes import ConvShape, axis_inside, taps_inside
from arenite.ops.constraints import NodeView
from arenite.target import Target

_INT16 = 2


def im2col(
    kernel: str, conv: ConvShape, depth: int, width: int, target: Target
) -> tuple[dict[str, int], list[Loop]]:
    """Windows are written tap by tap: how often, and what copies them."""
    positions = conv.input.n * conv.output.h * conv.output.w
    inside = conv.input.n * taps_inside(conv)
    outside = positions * conv.filter.h * conv.filter.w - inside
    times = {
        "position": positions,
        "row of taps": positions * conv.filter.h,
        "tap": inside,
        "padding": outside,
    }
    moved = copies(kernel, inside, depth * width, target)
    return times, [*moved, *fills(kernel, outside, depth * width, target)]


def convolve(view: NodeView, target: Target) -> list[Loop]:
    """im2col, then two positions and two channels at a time, or four positions with vectors."""
    conv, kernel = shapes.convolution(view), kernel_of(view)
    times, moved = im2col(kernel, conv, conv.input.c, _INT16, target)
    columns = conv.filter.h * conv.filter.w * conv.filter.c
    positions, images = conv.output.h * conv.output.w, conv.input.n
    together = 4 if target.instructions == "mve" else 2
    blocks, rest = (images * n for n in divmod(positions, together))
    if target.instructions == "mve":
        vectors = -(-columns // 8)
        times["4 positions, channel"] = blocks * conv.output.c
        times["4 positions, channel, 8 columns"] = blocks * conv.output.c * vectors
        times["position, channel"] = rest * conv.output.c
        times["position, channel, 8 columns"] = rest * conv.output.c * vectors
        return [*loops(kernel, times), *moved]
    pairs, odd = divmod(conv.output.c, 2)
    fours, left = divmod(columns, 4)
    for step, count in (
        ("2 positions, 2 channels", blocks * pairs),
        ("2 positions, last channel", blocks * odd),
        ("last position, channel", rest * conv.output.c),
    ):
        times |= {step: count, f"{step}, 4 columns": count * fours, f"{step}, column": count * left}
    return [*loops(kernel, {"2 positions": blocks, **times}), *moved]


def depthwise(view: NodeView, target: Target) -> list[Loop]:
    """Channel by channel: TFLM's glue calls this function for all shapes."""
    return depthwise_by_channel(kernel_of(view), shapes.depthwise_convolution(view))


def depthwise_by_channel(kernel: str, conv: ConvShape) -> list[Loop]:
    """Only taps inside of the image are looked at; four channels of one input channel at a time."""
    times = times_by_channel(conv)
    dilated = (conv.dilation.h, conv.dilation.w) != (1, 1)
    if conv.ch_mult % 4 == 0 and not dilated and conv.input.n == 1:
        kernel += ", by 4"
        times |= {step: times[step] // 4 for step in ("row of taps", "tap")}
    return loops(kernel, times)


def times_by_channel(conv: ConvShape) -> dict[str, int]:
    """Rows, positions, channels, and the taps that meet the image."""
    positions = conv.input.n * conv.output.h * conv.output.w
    rows = conv.input.n * axis_inside(conv, "h") * conv.output.w * conv.output.c
    return {
        "row": conv.input.n * conv.output.h,
        "position": positions,
        "input channel": positions * conv.input.c,
        "channel": positions * conv.output.c,
        "row of taps": rows,
        "tap": conv.input.n * taps_inside(conv) * conv.output.c,
    }


def fully_connected(view: NodeView, target: Target) -> list[Loop]:
    """A product for every row of the input."""
    layer = shapes.fully_connected(view)
    times = {"row": layer.batches}
    times |= products(layer.batches, layer.units, layer.depth, target)
    return loops(kernel_of(view), times)


def products(rows: int, units: int, depth: int, target: Target) -> dict[str, int]:
    """Units two at a time, four columns at a time; or four, and eight columns, with vectors."""
    mve = target.instructions == "mve"
    together, columns = (4, 8) if mve else (2, 4)
    blocks, rest = divmod(units, together)
    inner, left = (-(-depth // columns), 0) if mve else divmod(depth, columns)
    times: dict[str, int] = {}
    for step, count in ((f"{together} units", rows * blocks), ("last unit", rows * rest)):
        times |= {
            step: count,
            f"{step}, {columns} columns": count * inner,
            f"{step}, column": count * left,
        }
    return times


def pool(view: NodeView, target: Target) -> list[Loop]:
    """The first tap is copied; the others are added to it, or replace what is smaller."""
    layer, kernel = shapes.pooling(view), kernel_of(view)
    positions = layer.input.n * layer.output.h * layer.output.w
    taps, channels = layer.input.n * taps_inside(layer), layer.input.c
    rows = layer.input.n * axis_inside(layer, "h") * layer.output.w
    together = 8 if target.instructions == "mve" else 2
    vectors = -(-channels // together)
    times = {
        "position": positions,
        "row of taps": rows,
        "tap": taps,
        "channel": positions * channels,
        "next tap, channel": (taps - positions) * channels,
        f"{together} channels": positions * vectors,
        f"next tap, {together} channels": (taps - positions) * vectors,
        f"row of taps, {together} channels": rows * vectors,
    }
    is_max = view.name == "MAX_POOL_2D"
    moved = copies(kernel, positions, channels * _INT16, target) if is_max else []
    return [*loops(kernel, times), *moved]


def elementwise(view: NodeView, target: Target) -> list[Loop]:
    """Two values at a time, four with vectors."""
    together = 4 if target.instructions == "mve" else 2
    blocks, rest = divmod(view.output(0).size, together)
    if target.instructions == "mve":
        blocks, rest = blocks + (rest > 0), 0
    return loops(kernel_of(view), {f"{together} values": blocks, "value": rest})


def rows(view: NodeView, target: Target) -> list[Loop]:
    """SOFTMAX: three passes over a row."""
    size = max(view.input(0).shape[-1], 1)
    times = {"row": view.input(0).size // size, "value": view.input(0).size}
    return loops(f"{kernel_of(view)}, CMSIS-NN", times)


def batch_matmul(view: NodeView, target: Target) -> list[Loop]:
    """Operands are transposed where the product wants them so, then row by row."""
    left, right, output = view.input(0), view.input(1), view.output(0)
    depth = left.shape[-2 if view.options.adj_x else -1]
    columns, batches = output.shape[-1], prod(output.shape[:-2])
    count = output.size // max(columns, 1)
    turned = [left.size if view.options.adj_x else 0, 0 if view.options.adj_y else right.size]
    times = {
        "matrix": batches,
        "row": count,
        "value that is transposed": sum(turned),
        "column that is summed": batches * columns if target.instructions == "mve" else 0,
        "column, 16 values": batches * columns * -(-depth // 16)
        if target.instructions == "mve"
        else 0,
        **products(count, columns, depth, target),
    }
    return loops(kernel_of(view), times)


FUNCTIONS = {
    "arm_avgpool_s16": pool,
    "arm_batch_matmul_s16": batch_matmul,
    "arm_batch_matmul_s8": batch_matmul,
    "arm_convolve_s16": convolve,
    "arm_depthwise_conv_s16": depthwise,
    "arm_elementwise_add_s16": elementwise,
    "arm_elementwise_mul_s16": elementwise,
    "arm_fully_connected_s16": fully_connected,
    "arm_max_pool_s16": pool,
    "arm_softmax_s16": rows,
}
