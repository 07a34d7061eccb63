"""REVERSE_V2: a tensor with the elements of some neighbouring axes in reverse order.

Undefined in TFLM: without any axis it reads in front of their array; this is refused.

Facts: TFLM ``micro/kernels/reverse.cc`` and ``reference/reverse.h``. The axes may be fed.
"""

from __future__ import annotations

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32, INT64, UINT8
from arenite.ops import MOVES, Array, Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.copy import positive_axis


class ReverseV2Options(OptionsTable, union=81):
    """``table ReverseV2Options``, which is empty."""


def a_vector_of_axes(node: c.NodeView) -> bool:
    """The axes (input 1) are a vector of at least 1 number, and at most one per dimension."""
    axes = node.input(1)
    return len(axes.shape) == 1 and 1 <= axes.size <= len(node.input(0).shape)


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    inp, axes, output = (
        *(input_tensor(context, node, i) for i in range(2)),
        output_tensor(context, node),
    )
    if axes.data is not None:
        neighbours(context, axes.data, len(inp.shape))
    context.resize_tensor(output.index, inp.shape)


def neighbours(context: Context, values: Array, rank: int) -> tuple[int, ...]:
    """The axes in ascending order, which must be one behind the other."""
    axes = tuple(sorted(positive_axis(context, axis, rank) for axis in values.tolist()))
    if axes != tuple(range(axes[0], axes[0] + len(axes))):
        context.report_error(f"expected axes one behind the other, got {values.tolist()}")
    return axes


def invoke(context: Context, node: Node) -> None:
    """Copy every element to its place."""
    x, out = input_array(context, node, 0), output_array(context, node)
    axes = neighbours(context, input_array(context, node, 1), x.ndim)
    out[...] = np.flip(x, axes).reshape(out.shape)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=ReverseV2Options,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL),
        c.input_types(1, INT32),
        c.same_type(),
        c.rank_at_most(0, 6),
        a_vector_of_axes,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES
