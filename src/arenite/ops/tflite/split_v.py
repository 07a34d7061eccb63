"""SPLIT_V: parts of a tensor along an axis, of sizes of their own.

Undefined in TFLM: the sizes (input 1) are not read. Each output is as long as the model says, and
outputs that do not share the axis are read or written beside their tensors. Here these are
refused; the sizes count where the outputs do not tell, because an input was resized.

Facts: TFLM ``micro/kernels/split_v.cc``, which looks at the axis when it runs.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array
from arenite.ops.shared import copy


class SplitVOptions(OptionsTable, union=79):
    """``table SplitVOptions``; TFLM counts the outputs instead."""

    num_splits: int = slot(0, "int32")


def prepare(context: Context, node: Node) -> copy.Interleaving:
    """The outputs' shapes and how they lie in the input."""
    axis_tensor = input_tensor(context, node, 2)
    shape = context.get_eval_tensor(node.inputs[0]).shape
    assert axis_tensor.data is not None
    axis = copy.positive_axis(context, int(axis_tensor.data.reshape(-1)[0]), len(shape))
    sizes = part_sizes(context, node, axis, shape[axis])
    parts = [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]
    for index, part in zip(node.outputs, parts, strict=True):
        context.resize_tensor(index, part, "refused")
    return copy.interleaving(parts, axis)


def part_sizes(context: Context, node: Node, axis: int, whole: int) -> tuple[int, ...]:
    """The length of each output on the axis: as the model's outputs say, or else input 1."""
    declared = [context.view_tensor(index).declared for index in node.outputs]
    sizes = tuple(shape[axis] if axis < len(shape) else -1 for shape in declared)
    asked = copy.constant_values(context, node.inputs[1]) if node.inputs[1] >= 0 else None
    if not shares(sizes, whole) and asked is not None and len(asked) == len(sizes):
        known = sum(size for size in asked if size != -1)
        sizes = tuple(whole - known if size == -1 else size for size in asked)
    if not shares(sizes, whole):
        context.report_error(
            f"the outputs must share the {whole} elements of axis {axis} of the input, "
            f"got {list(sizes)}"
        )
    return sizes


def shares(sizes: tuple[int, ...], whole: int) -> bool:
    """Whether parts of these lengths make up the whole."""
    return min(sizes) >= 0 and sum(sizes) == whole


def invoke(context: Context, node: Node) -> None:
    """Copy every output from its place."""
    parts = [output_array(context, node, i) for i in range(len(node.outputs))]
    copy.divide(node.params, input_array(context, node, 0), parts)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=SplitVOptions,
    builtin_data=Struct("TfLiteSplitVParams", ("int",)),
    constraints=(
        c.inputs_between(3, 3, frozenset({1})),
        c.input_types(0, FLOAT32, INT8, INT16, INT32),
        copy.outputs_like_input(0),
        c.constant(2),
        c.input_types(2, INT32, INT64),
        c.one_number(2, "axis"),
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES
