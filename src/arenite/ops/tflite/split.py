"""SPLIT: equal parts of a tensor along an axis.

Facts: TFLM ``micro/kernels/split.cc``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array
from arenite.ops.shared import copy


class SplitOptions(OptionsTable, union=35):
    """``table SplitOptions``; TFLM counts the outputs instead."""

    num_splits: int = slot(0, "int32")


def prepare(context: Context, node: Node) -> copy.Interleaving:
    """The outputs' shape and how they lie in the input."""
    axis_tensor = input_tensor(context, node, 0)
    shape = context.get_eval_tensor(node.inputs[1]).shape
    assert axis_tensor.data is not None
    axis = copy.positive_axis(context, int(axis_tensor.data.reshape(-1)[0]), len(shape))
    count = len(node.outputs)
    if shape[axis] % count:
        context.report_error(
            f"axis {axis} of the input must divide into {count} equal parts, got {list(shape)}"
        )
    part = (*shape[:axis], shape[axis] // count, *shape[axis + 1 :])
    for index in node.outputs:
        context.resize_tensor(index, part, "refused")
    return copy.interleaving([part] * count, axis)


def invoke(context: Context, node: Node) -> None:
    """Copy every output from its place."""
    parts = [output_array(context, node, i) for i in range(len(node.outputs))]
    copy.divide(node.params, input_array(context, node, 1), parts)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=SplitOptions,
    builtin_data=Struct("TfLiteSplitParams", ("int",)),
    constraints=(
        c.inputs_between(2, 2),
        c.constant(0),
        c.input_types(0, INT32, INT64),
        c.one_number(0, "axis"),
        c.input_types(1, FLOAT32, INT8, INT16, INT32),
        copy.outputs_like_input(1),
    ),
)

TRAITS = Traits(values="rising", channels="split", exact_on_floats=True, drawn="shape")

SCHEME = MOVES
