"""MNN_SELECT: from two tensors the one that a condition says, element by element.

SELECT_V2 with an int32 condition, as MNN has it (``backend/cpu/CPUSelect.cpp``).
"""

from __future__ import annotations

import numpy as np

from arenite.model import TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.registry import Registration


def shapes_broadcast(node: NodeView) -> bool:
    """The three inputs' shapes broadcast."""
    try:
        np.broadcast_shapes(*(node.input(index).shape for index in range(3)))
    except ValueError:
        return False
    return True


def prepare(context: Context, node: Node) -> None:
    """The output has the common shape of the inputs."""
    shapes = [context.get_eval_tensor(index).shape for index in node.inputs]
    context.resize_tensor(node.outputs[0], np.broadcast_shapes(*shapes))


def invoke(context: Context, node: Node) -> None:
    """Choose."""
    condition, a, b = (input_array(context, node, index) for index in range(3))
    output_array(context, node)[...] = np.where(condition != 0, a, b)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        c.inputs_between(3, 3),
        c.outputs_exactly(1),
        c.input_types(0, TensorType.INT32),
        c.input_types(1, TensorType.FLOAT32, TensorType.INT32),
        c.same_type(1),
        c.same_type(2),
        shapes_broadcast,
    ),
)
