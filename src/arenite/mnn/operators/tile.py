"""MNN_TILE: a tensor several times along each axis.

TFLM has no such operator. Facts: LiteRT ``kernels/tile.cc``, whose TILE computes the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnTileParams:
    """The repetitions along each axis."""

    multiples: tuple[int, ...]


def a_multiple_per_axis(node: NodeView) -> bool:
    """The multiples (input 1) are a constant vector with a number of 0 or more per axis."""
    data = node.input(1).data
    if data is None or data.shape != (len(node.input(0).shape),):
        return False
    return bool((data >= 0).all())


def prepare(context: Context, node: Node) -> MnnTileParams:
    """The output's shape."""
    inp = input_tensor(context, node, 0)
    data = input_tensor(context, node, 1).data
    assert data is not None
    multiples = tuple(int(n) for n in data)
    shape = tuple(n * m for n, m in zip(inp.shape, multiples, strict=True))
    context.resize_tensor(output_tensor(context, node).index, shape)
    return MnnTileParams(multiples)


def invoke(context: Context, node: Node) -> None:
    """Repeat."""
    params: MnnTileParams = node.params
    output_array(context, node)[...] = np.tile(input_array(context, node, 0), params.multiples)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        c.inputs_between(2, 2),
        c.outputs_exactly(1),
        c.input_types(
            0,
            TensorType.FLOAT32,
            TensorType.INT8,
            TensorType.UINT8,
            TensorType.INT16,
            TensorType.INT32,
            TensorType.INT64,
            TensorType.BOOL,
        ),
        c.input_types(1, TensorType.INT32, TensorType.INT64),
        c.same_type(),
        a_multiple_per_axis,
    ),
)
