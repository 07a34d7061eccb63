"""MNN_TRANSPOSE_CONV: a transposed convolution with dilation and groups.

What TRANSPOSE_CONV lacks. Weights are ``(groups, height, width, depth, filters)``, where depth
and filters are those of one group. Facts: MNN 3.6.1 ``backend/cpu/CPUDeconvolution.cpp``,
``CPUDeconvolutionDepthwise.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import from_mnn
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import (
    input_array,
    input_tensor,
    optional_input_array,
    output_array,
    output_tensor,
)
from arenite.ops.registry import Registration
from arenite.ops.shared.window import overlap

Pair = tuple[int, int]


@dataclass(frozen=True)
class MnnTransposeConvOptions(OptionsTable):
    """Pairs are ``(height, width)``; ``padding`` is what is cut off before the output."""

    output: Pair = (0, 0)
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    padding: Pair = (0, 0)
    low: float = -np.inf
    high: float = np.inf


def prepare(context: Context, node: Node) -> None:
    """The output's shape."""
    options: MnnTransposeConvOptions = node.options
    shape, weights = input_tensor(context, node, 0).shape, input_tensor(context, node, 1).shape
    if len(weights) != 5 or weights[0] * weights[3] != shape[3]:
        context.report_error(f"weights {list(weights)} do not fit an input of {list(shape)}")
    if min(*options.stride, *options.dilation, *options.output) < 1:
        context.report_error(f"expected positive sizes, got {options}")
    filters = weights[0] * weights[4]
    context.resize_tensor(output_tensor(context, node).index, (shape[0], *options.output, filters))


@np.errstate(all="ignore")
def invoke(context: Context, node: Node) -> None:
    """Every tap of every filter adds its part to the output."""
    options: MnnTransposeConvOptions = node.options
    x, weights = input_array(context, node, 0), input_array(context, node, 1)
    bias = optional_input_array(context, node, 2)
    out = output_array(context, node)
    groups, height, width, depth, filters = weights.shape
    sums = np.zeros((*out.shape[:3], groups, filters))
    split = x.reshape(*x.shape[:3], groups, depth).astype(np.float64)
    for i, j in np.ndindex(height, width):
        place = [
            overlap(tap * dilation - padding, stride, n, outputs)
            for tap, dilation, padding, stride, n, outputs in zip(
                (i, j),
                options.dilation,
                options.padding,
                options.stride,
                x.shape[1:3],
                out.shape[1:3],
                strict=True,
            )
        ]
        (rows, out_rows), (columns, out_columns) = place
        part = split[:, rows, columns]
        if part.size:
            sums[:, out_rows, out_columns] += products(part, weights[:, i, j])
    total = sums.reshape(out.shape)
    if bias is not None:
        total += bias
    out[...] = np.clip(total, options.low, options.high)


def products(x: Array, weights: Array) -> Array:
    """``(n, h, w, groups, depth)`` times ``(groups, depth, filters)``, per group."""
    if weights.shape[1:] == (1, 1):
        return np.asarray(x * weights[:, 0])
    return np.asarray(np.einsum("nhwgd,gdf->nhwgf", x, weights.astype(np.float64), optimize=True))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnTransposeConvOptions,
    constraints=(
        c.inputs_between(2, 3),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.FLOAT32),
        c.same_type(),
        c.rank(0, 4),
    ),
)
