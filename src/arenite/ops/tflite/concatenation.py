"""CONCATENATION: several tensors one behind the other along an axis.

Facts: TFLM ``micro/kernels/concatenation.cc`` and ``reference/concatenation.h``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, TensorType, slot
from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.copy import Interleaving, interleaving, join, positive_axis


class ConcatenationOptions(OptionsTable, union=10):
    """``table ConcatenationOptions``."""

    axis: int = slot(0, "int32")
    fused_activation_function: int = slot(1, "int8")


CONCATENATION_PARAMS = Struct(
    "ConcatenationParams", ("int32", "pointer", "pointer", "int32", "int32", "float")
)
OP_DATA = Struct("OpData", (CONCATENATION_PARAMS,), compression=(("int", 10),))


def no_activation(node: c.NodeView) -> bool:
    """No activation function is fused into the operator."""
    return bool(node.options.fused_activation_function == util.Activation.NONE)


def one_type(node: c.NodeView) -> bool:
    """All inputs and the output have the same type."""
    types = {tensor.type for tensor in (*node.inputs, *node.outputs) if tensor is not None}
    return len(types) == 1


def at_most_6_dimensions(node: c.NodeView) -> bool:
    """No input has more than 6 dimensions."""
    return all(len(node.input(i).shape) <= 6 for i in range(len(node.inputs)))


def one_quantization(node: c.NodeView) -> bool:
    """Of int8 tensors all have the same scale and zero point, of int16 ones zero point 0."""
    tensors = [node.output(0), *(node.input(i) for i in range(len(node.inputs)))]
    match tensors[0].type:
        case TensorType.INT8:
            return len({(tensor.scale, tensor.zero_point) for tensor in tensors}) == 1
        case TensorType.INT16:
            return all(tensor.zero_point == 0 for tensor in tensors)
        case _:
            return True


def prepare(context: Context, node: Node) -> Interleaving:
    """The output's shape and how the inputs lie in it."""
    first = util.input_tensor(context, node, 0)
    output = util.output_tensor(context, node)
    shapes = [util.input_tensor(context, node, i).shape for i in range(len(node.inputs))]
    axis = positive_axis(context, node.options.axis, len(first.shape))
    expected = (*first.shape[:axis], *first.shape[axis + 1 :])
    for number, shape in enumerate(shapes):
        if len(shape) != len(first.shape) or (*shape[:axis], *shape[axis + 1 :]) != expected:
            context.report_nonsense(
                f"input {number} must have the shape {list(first.shape)} of input 0, "
                f"other than on axis {axis}, got {list(shape)}"
            )
    total = sum(shape[axis] for shape in shapes)
    context.resize_tensor(
        output.index, (*first.shape[:axis], total, *first.shape[axis + 1 :]), "refused"
    )
    return interleaving(shapes, axis)


def invoke(context: Context, node: Node) -> None:
    """Copy every input to its place."""
    parts = [util.input_array(context, node, i) for i in range(len(node.inputs))]
    join(node.params, parts, util.output_array(context, node))


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=ConcatenationOptions,
    builtin_data=Struct("TfLiteConcatenationParams", ("int", "enum")),
    constraints=(
        c.inputs_between(1, 10),
        c.outputs_exactly(1),
        no_activation,
        c.input_types(0, FLOAT32, INT8, INT16, INT32, INT64, BOOL),
        one_type,
        at_most_6_dimensions,
        one_quantization,
    ),
)

TRAITS = Traits(values="rising", channels="concatenated", exact_on_floats=True, drawn="add")

SCHEME = MOVES
