"""TRANSPOSE: the axes of a tensor in another order.

Facts: TFLM ``micro/kernels/transpose_common.cc`` and ``reference/transpose.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.ops import MOVES, Array, Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.overlap import Clearance, element_bytes


class TransposeOptions(OptionsTable, union=26):
    """``table TransposeOptions``, which is empty."""


@dataclass(frozen=True)
class TransposeParams:
    """Axis ``i`` of the output is axis ``perm[i]`` of the input."""

    perm: tuple[int, ...]
    output_shape: tuple[int, ...]


def perm_orders_the_axes(node: c.NodeView) -> bool:
    """The permutation (input 1) is an int32 vector that names every axis of input 0 once."""
    perm, rank = node.input(1), len(node.input(0).shape)
    if perm.type is not INT32 or perm.shape != (rank,):
        return False
    return perm.data is not None and sorted(perm.data.tolist()) == list(range(rank))


def prepare(context: Context, node: Node) -> TransposeParams:
    """The output's shape."""
    inp = input_tensor(context, node, 0)
    perm_tensor = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    assert perm_tensor.data is not None
    perm = tuple(int(axis) for axis in perm_tensor.data)
    shape = tuple(inp.shape[axis] for axis in perm)
    context.resize_tensor(output.index, shape, "refused")
    return TransposeParams(perm=perm, output_shape=shape)


def invoke(context: Context, node: Node) -> None:
    """Copy every element to its place."""
    transpose(node.params, input_array(context, node, 0), output_array(context, node))


def transpose(params: TransposeParams, x: Array, out: Array) -> None:
    """``out[i, j, ...] = x`` with its axes in the order of ``perm``."""
    np.copyto(out.reshape(params.output_shape), x.transpose(params.perm))


def overlap(view: c.NodeView, position: int) -> Clearance | None:
    """The output is written in order, each element when its place is reached.

    Along every axis writing gets ahead of reading by the difference of the strides, or falls back.
    """
    x, perm = view.input(0), view.input(1).data
    if position != 0 or perm is None or not x.size:
        return None
    ahead, stride = 0, 1
    for axis in reversed(perm.tolist()):
        ahead += (x.shape[axis] - 1) * max(0, stride - prod(x.shape[axis + 1 :]))
        stride *= x.shape[axis]
    return Clearance(ahead * element_bytes(x))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    overlap=overlap,
    options=TransposeOptions,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8, INT16),
        c.same_type(),
        c.rank(0, 1, 2, 3, 4, 5),
        c.constant(1),
        perm_orders_the_axes,
    ),
)

TRAITS = Traits(values="rising", channels="transposed", exact_on_floats=True, drawn="shape")

SCHEME = MOVES
