"""PACK: tensors of the same shape, stacked along a new axis.

Facts: TFLM ``micro/kernels/pack.cc``, which has no ``prepare``: this one makes no
temporary tensors.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared import copy


class PackOptions(OptionsTable, union=59):
    """``table PackOptions``."""

    values_count: int = slot(0, "int32")
    axis: int = slot(1, "int32")


def counted(node: c.NodeView) -> bool:
    """The option values_count is the number of inputs."""
    return bool(node.options.values_count == len(node.inputs))


def one_shape(node: c.NodeView) -> bool:
    """All inputs have the same shape."""
    return len({node.input(i).shape for i in range(len(node.inputs))}) == 1


def prepare(context: Context, node: Node) -> copy.Interleaving:
    """The output's shape and how the inputs lie in it."""
    shape = context.get_eval_tensor(node.inputs[0]).shape
    axis = copy.positive_axis(context, node.options.axis, len(shape) + 1)
    count = len(node.inputs)
    context.resize_tensor(node.outputs[0], (*shape[:axis], count, *shape[axis:]), "refused")
    return copy.interleaving([shape] * count, axis)


def invoke(context: Context, node: Node) -> None:
    """Copy every input to its place."""
    parts = [input_array(context, node, i) for i in range(len(node.inputs))]
    copy.join(node.params, parts, output_array(context, node))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=PackOptions,
    builtin_data=Struct("TfLitePackParams", ("int", "int")),
    constraints=(
        c.outputs_exactly(1),
        copy.inputs_like_output,
        c.input_types(0, FLOAT32, INT8, INT16, INT32, INT64),
        counted,
        one_shape,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES
