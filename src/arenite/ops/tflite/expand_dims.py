"""EXPAND_DIMS: a tensor with one more dimension, of size 1.

Facts: TFLM ``micro/kernels/expand_dims.cc``.
"""

from __future__ import annotations

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.ops import MOVES, Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.shared import copy
from arenite.ops.shared.overlap import same_place


class ExpandDimsOptions(OptionsTable, union=52):
    """``table ExpandDimsOptions``, which is empty."""


def axis_is_one_number(node: c.NodeView) -> bool:
    """The axis (input 1) is one number, with at most one dimension."""
    axis = node.input(1)
    return axis.size == 1 and len(axis.shape) <= 1


def prepare(context: Context, node: Node) -> copy.CopyParams:
    """The output's shape."""
    inp = input_tensor(context, node, 0)
    axis_tensor = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    assert axis_tensor.data is not None
    rank = len(inp.shape) + 1
    axis = copy.positive_axis(context, int(axis_tensor.data.reshape(-1)[0]), rank)
    context.resize_tensor(output.index, (*inp.shape[:axis], 1, *inp.shape[axis:]), "refused")
    return copy.copy_params(inp.size, inp.type)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=copy.copy_invoke,
    overlap=same_place,
    rows=copy.copy_of_rows,
    options=ExpandDimsOptions,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8, INT16),
        c.same_type(),
        c.rank_at_most(0, 5),
        c.constant(1),
        c.input_types(1, INT32),
        axis_is_one_number,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True, reshapes=True)

SCHEME = MOVES
