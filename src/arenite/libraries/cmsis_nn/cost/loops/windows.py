"""Loops of TFLM's own kernels that slide windows or multiply matrices, index by index.

Facts: TFLM ``kernels/internal/reference/conv.h``, ``depthwiseconv_float.h``, ``pooling.h``,
``fully_connected.h``, ``transpose_conv.h``, ``batch_matmul.h``.
"""

from __future__ import annotations

from math import prod

from arenite.libraries import shapes
from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of, loops
from arenite.libraries.costs import Loop
from arenite.libraries.shapes import ConvShape, axis_inside, taps_inside
from arenite.ops.constraints import NodeView


def conv(view: NodeView) -> list[Loop]:
    """Output by output; taps outside of the image are looked at and left out."""
    layer = shapes.convolution(view)
    return _windows(view, layer, layer.output.c, layer.filter.c)


def depthwise_conv(view: NodeView) -> list[Loop]:
    """Output by output, each of one input channel."""
    layer = shapes.depthwise_convolution(view)
    found = _windows(view, layer, layer.output.c, 1)
    positions = layer.input.n * layer.output.h * layer.output.w
    return [*found, Loop(kernel_of(view), "input channel", positions * layer.input.c)]


def _windows(view: NodeView, layer: ConvShape, channels: int, depth: int) -> list[Loop]:
    positions = layer.input.n * layer.output.h * layer.output.w
    inside = layer.input.n * taps_inside(layer) * channels
    rows = positions * channels * layer.filter.h
    return loops(
        kernel_of(view),
        {
            "row": layer.input.n * layer.output.h,
            "position": positions,
            "channel": positions * channels,
            "row of taps": rows,
            "tap": rows * layer.filter.w,
            "tap inside": inside,
            "product": inside * depth if depth > 1 else 0,
            "tap of one channel": inside if depth == 1 else 0,
        },
    )


def pool(view: NodeView) -> list[Loop]:
    """Output by output; only taps inside of the image are looked at."""
    layer = shapes.pooling(view)
    positions, channels = layer.input.n * layer.output.h * layer.output.w, layer.input.c
    rows = layer.input.n * axis_inside(layer, "h") * layer.output.w * channels
    return loops(
        kernel_of(view),
        {
            "row": layer.input.n * layer.output.h,
            "position": positions,
            "channel": positions * channels,
            "row of taps": rows,
            "tap": layer.input.n * taps_inside(layer) * channels,
        },
    )


def fully_connected(view: NodeView) -> list[Loop]:
    """Row by row, unit by unit."""
    layer = shapes.fully_connected(view)
    units = layer.batches * layer.units
    times = {"row": layer.batches, "unit": units, "product": units * layer.depth}
    return loops(kernel_of(view), times)


def transpose_conv(view: NodeView) -> list[Loop]:
    """Input value by input value; taps outside of the output are looked at and left out."""
    layer = shapes.transpose_convolution(view)
    pixels = layer.input.n * layer.input.h * layer.input.w
    values, taps = pixels * layer.input.c, layer.filter.h * layer.filter.w
    inside = _spread_inside(layer, "h") * _spread_inside(layer, "w") * layer.input.n
    return loops(
        kernel_of(view),
        {
            "output": view.output(0).size,
            "pixel": pixels,
            "value": values,
            "row of taps": values * layer.filter.h,
            "tap": values * taps,
            "product looked at": values * taps * layer.output.c,
            "product": inside * layer.input.c * layer.output.c,
        },
    )


def _spread_inside(layer: ConvShape, axis: str) -> int:
    """Taps along an axis of all input pixels that meet the output."""
    size, taps, stride, padding, inputs = (
        int(getattr(part, axis))
        for part in (layer.output, layer.filter, layer.stride, layer.padding, layer.input)
    )
    starts = (index * stride - padding for index in range(inputs))
    return sum(0 <= start + tap < size for start in starts for tap in range(taps))


def batch_matmul(view: NodeView) -> list[Loop]:
    """Operands are transposed first where the kernel wants them so."""
    left, right = view.input(0), view.input(1)
    output = view.output(0).size
    depth = left.shape[-2 if view.options.adj_x else -1]
    batches = prod(view.output(0).shape[:-2])
    turned_left = left.size if view.options.adj_x else 0
    turned_right = 0 if view.options.adj_y else right.size
    return loops(
        kernel_of(view),
        {
            "matrix": batches,
            "row": output // max(view.output(0).shape[-1], 1),
            "value": output,
            "product": output * depth,
            "left value that is transposed": turned_left,
            "right value that is transposed": turned_right,
            "left row that is transposed": turned_left // max(left.shape[-1], 1),
            "right row that is transposed": turned_right // max(right.shape[-1], 1),
        },
    )


KERNELS = {
    "AVERAGE_POOL_2D": pool,
    "BATCH_MATMUL": batch_matmul,
    "CONV_2D": conv,
    "DEPTHWISE_CONV_2D": depthwise_conv,
    "FULLY_CONNECTED": fully_connected,
    "L2_POOL_2D": pool,
    "MAX_POOL_2D": pool,
    "TRANSPOSE_CONV": transpose_conv,
}
