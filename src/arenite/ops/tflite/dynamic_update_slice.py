"""DYNAMIC_UPDATE_SLICE: a tensor with other values in a box, which is moved to lie inside of it.

Facts: TFLM ``micro/kernels/dynamic_update_slice.cc``. The start indices (input 2) may be any
numbers: the box is moved where they are too low or too high.
"""

from __future__ import annotations

from typing import Any

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import MOVES, Context, Node, Registration
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.copy import copy_flat
from arenite.ops.shared.overlap import same_place


class DynamicUpdateSliceOptions(OptionsTable, union=117):
    """``table DynamicUpdateSliceOptions``, which is empty."""


def update_fits(node: c.NodeView) -> bool:
    """The update (input 1) has input 0's type and dimensions, none larger than input 0's."""
    x, update = node.input(0), node.input(1)
    fits = len(update.shape) == len(x.shape) and all(map(int.__le__, update.shape, x.shape))
    return update.type is x.type and fits


def a_start_for_each_axis(node: c.NodeView) -> bool:
    """The start indices (input 2) are a vector with one number for each axis of input 0."""
    return node.input(2).shape == (len(node.input(0).shape),)


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    tensors = [input_tensor(context, node, i) for i in range(3)]
    context.resize_tensor(output_tensor(context, node).index, tensors[0].shape)


def invoke(context: Context, node: Node) -> None:
    """Copy the input, then the update over it."""
    x, update, starts = (input_array(context, node, i) for i in range(3))
    out = output_array(context, node)
    copy_flat(x, out)
    firsts = [
        min(max(start, 0), n - size)
        for start, n, size in zip(starts.tolist(), x.shape, update.shape, strict=True)
    ]
    box = [slice(first, first + size) for first, size in zip(firsts, update.shape, strict=True)]
    index: tuple[Any, ...] = (*box, ...)
    out.reshape(x.shape)[index] = update


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=DynamicUpdateSliceOptions,
    overlap=same_place,
    constraints=(
        *c.counts(3, 1),
        c.input_types(0, FLOAT32, INT8, INT16, INT32),
        c.same_type(),
        c.rank(0, 1, 2, 3, 4, 5, 6),
        update_fits,
        c.input_types(2, INT32, INT64),
        a_start_for_each_axis,
    ),
)

SCHEME = MOVES
