"""MNN_TOP_K: the largest or smallest elements along an axis, in order, and where they are.

Among equal ones the first comes first. Facts: MNN 3.6.1 ``backend/cpu/CPUTopKV2.cpp``,
``geometry/GeometryTopK.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import from_mnn
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnTopKOptions(OptionsTable):
    """The number of elements, and their axis."""

    count: int = 0
    axis: int = 0
    largest: bool = True


def positions_are_int32(node: NodeView) -> bool:
    """Output 1 is int32."""
    return node.output(1).type is TensorType.INT32


def prepare(context: Context, node: Node) -> None:
    """Both outputs have ``count`` elements along the axis."""
    options: MnnTopKOptions = node.options
    shape = input_tensor(context, node, 0).shape
    axis, count = options.axis, options.count
    if not 0 <= axis < len(shape) or not 0 < count <= shape[axis]:
        context.report_error(f"there are no {count} elements along axis {axis} of {list(shape)}")
    for place in range(2):
        output = output_tensor(context, node, place)
        context.resize_tensor(output.index, (*shape[:axis], count, *shape[axis + 1 :]))


def invoke(context: Context, node: Node) -> None:
    """Sort, and take the first."""
    options: MnnTopKOptions = node.options
    x = input_array(context, node, 0)
    places = order(x, options.axis, options.largest).take(range(options.count), options.axis)
    output_array(context, node, 0)[...] = np.take_along_axis(x, places, options.axis)
    output_array(context, node, 1)[...] = places


def order(x: Array, axis: int, largest: bool) -> Array:
    """Positions in order of the elements; equal elements keep their order."""
    if not largest:
        return x.argsort(axis, kind="stable")
    backwards = np.flip(x, axis).argsort(axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(backwards, axis))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnTopKOptions,
    constraints=(
        c.inputs_between(1, 1),
        c.outputs_exactly(2),
        from_mnn,
        c.input_types(0, TensorType.FLOAT32, TensorType.INT32),
        c.same_type(),
        positions_are_int32,
    ),
)
