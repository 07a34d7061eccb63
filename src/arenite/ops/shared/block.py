"""Common parts of SPACE_TO_DEPTH and DEPTH_TO_SPACE: blocks of pixels, a pixel's depth.

Facts: TFLM ``micro/kernels/space_to_depth.cc`` and ``depth_to_space.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

from arenite.model.types import FLOAT32, INT8
from arenite.ops import constraints as c
from arenite.ops.context import Context, Node, TfLiteTensor
from arenite.ops.kernel_util import input_array, output_array


@dataclass(frozen=True)
class AxisSwap:
    """``out[outer, column, row] = x[outer, row, column]``, each of them ``run`` elements."""

    outer: int
    rows: int
    columns: int
    run: int


def positive_block_size(node: c.NodeView) -> bool:
    """The option block_size is positive."""
    return bool(node.options.block_size > 0)


CONSTRAINTS = (
    *c.one_to_one(FLOAT32, INT8),
    c.rank(0, 4),
    c.output_rank(4),
    positive_block_size,
)


def replace_shape(context: Context, output: TfLiteTensor, shape: tuple[int, ...]) -> None:
    """Give the output its shape: TFLM moves the dimensions to the arena to write them."""
    context.reserve_persistent_buffer(4 * (1 + len(output.shape)), "output dimensions")
    context.resize_tensor(output.index, shape, "replaced")


def invoke(context: Context, node: Node) -> None:
    """Copy every run to its place."""
    p: AxisSwap = node.params
    x = input_array(context, node, 0).reshape(p.outer, p.rows, p.columns, p.run)
    out = output_array(context, node)
    out[...] = x.swapaxes(1, 2).reshape(out.shape)
