"""UNPACK: a tensor taken apart along an axis, which the parts no longer have.

Facts: TFLM ``micro/kernels/unpack.cc``, which has no ``prepare``: this one makes no
temporary tensors.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared import copy


class UnpackOptions(OptionsTable, union=64):
    """``table UnpackOptions``."""

    num: int = slot(0, "int32")
    axis: int = slot(1, "int32")


def counted(node: c.NodeView) -> bool:
    """The option num is the number of outputs."""
    return bool(node.options.num == len(node.outputs))


def prepare(context: Context, node: Node) -> copy.Interleaving:
    """The outputs' shape and how they lie in the input."""
    shape = context.get_eval_tensor(node.inputs[0]).shape
    axis = copy.positive_axis(context, node.options.axis, len(shape))
    count = len(node.outputs)
    if shape[axis] != count:
        context.report_error(
            f"axis {axis} of the input must have {count} elements, one per output, "
            f"got {list(shape)}"
        )
    part = (*shape[:axis], *shape[axis + 1 :])
    for index in node.outputs:
        context.resize_tensor(index, part)
    return copy.interleaving([part] * count, axis)


def invoke(context: Context, node: Node) -> None:
    """Copy every output from its place."""
    parts = [output_array(context, node, i) for i in range(len(node.outputs))]
    copy.divide(node.params, input_array(context, node, 0), parts)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=UnpackOptions,
    builtin_data=Struct("TfLiteUnpackParams", ("int", "int")),
    constraints=(
        c.inputs_between(1, 1),
        c.input_types(0, FLOAT32, INT8, INT16, INT32),
        copy.outputs_like_input(0),
        counted,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES
