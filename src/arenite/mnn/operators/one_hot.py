"""MNN_ONE_HOT: a new axis with one value at an index and another one elsewhere.

Facts: MNN 3.6.1 ``shape/ShapeOneHot.cpp``, ``backend/cpu/CPUOneHot.cpp``.
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
class MnnOneHotOptions(OptionsTable):
    """The length of the new axis, and its place in the output."""

    depth: int = -1
    axis: int = 0


def prepare(context: Context, node: Node) -> None:
    """The indices' shape with one more axis."""
    options: MnnOneHotOptions = node.options
    shape = input_tensor(context, node, 0).shape
    output = output_tensor(context, node)
    if not 0 <= options.axis <= len(shape) or options.depth < 0:
        context.report_error(f"cannot insert axis {options.axis} into {list(shape)}")
    full = (*shape[: options.axis], options.depth, *shape[options.axis :])
    context.resize_tensor(output.index, full)


def invoke(context: Context, node: Node) -> None:
    """Compare every index with the positions along the new axis."""
    options: MnnOneHotOptions = node.options
    indices, on, off = (input_array(context, node, index) for index in range(3))
    out = output_array(context, node)
    places = np.arange(options.depth).reshape((-1,) + (1,) * (out.ndim - 1 - options.axis))
    out[...] = np.where(
        np.expand_dims(indices, options.axis) == places, on.reshape(()), off.reshape(())
    )


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnOneHotOptions,
    constraints=(
        c.inputs_between(3, 3),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.INT32),
        c.same_type(1),
        c.same_type(2),
    ),
)
