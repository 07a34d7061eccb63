"""MNN_GATHER_ELEMENTS: for every place of the output, an element along an axis.

Facts: MNN 3.6.1 ``shape/ShapeGatherND.cpp``, ``geometry/GeometryGather.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import from_mnn
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnGatherElementsOptions(OptionsTable):
    """The axis along which the indices count."""

    axis: int = -1


def prepare(context: Context, node: Node) -> None:
    """The output has the indices' shape."""
    shape, indices = input_tensor(context, node, 0).shape, input_tensor(context, node, 1).shape
    axis = node.options.axis
    fits = len(shape) == len(indices) and 0 <= axis < len(shape)
    if not fits or any(m > n for a, (m, n) in enumerate(zip(indices, shape)) if a != axis):  # noqa: B905
        context.report_error(f"indices {list(indices)} do not fit {list(shape)}, axis {axis}")
    context.resize_tensor(output_tensor(context, node).index, indices)


def invoke(context: Context, node: Node) -> None:
    """Look every index up."""
    axis = node.options.axis
    x, indices = input_array(context, node, 0), input_array(context, node, 1)
    n = x.shape[axis]
    if indices.size and (indices.min() < -n or indices.max() >= n):
        context.report_error(f"expected indices from {-n} to {n - 1}")
    part = x[tuple(slice(None) if a == axis else slice(m) for a, m in enumerate(indices.shape))]
    output_array(context, node)[...] = np.take_along_axis(part, indices % n, axis)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnGatherElementsOptions,
    constraints=(
        c.inputs_between(2, 2),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(1, TensorType.INT32),
        c.same_type(),
    ),
)
