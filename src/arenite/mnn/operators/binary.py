"""MNN_BINARY: functions of two variables, and types, that TensorFlow Lite's operators lack.

Facts: MNN 3.6.1 ``backend/cpu/CPUBinary.cpp``, ``BinaryUtils.hpp``, ``shape/ShapeBinaryOp.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.arithmetic.functions import BINARY, COMPARISONS, binary_takes
from arenite.mnn.shared import from_mnn, shapes_broadcast
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnBinaryOptions(OptionsTable):
    """The function, by MNN's name of it, and whether negative results become 0."""

    kind: str = ""
    relu: bool = False


def output_type(node: NodeView) -> bool:
    """The output is int32 for comparisons, else of the inputs' type."""
    wanted = node.input(0).type
    if node.options.kind in COMPARISONS:
        wanted = TensorType.INT32
    return node.output(0).type is wanted and node.input(1).type is node.input(0).type


def kind_takes_type(node: NodeView) -> bool:
    """MNN has the function for the inputs' type."""
    is_float = node.input(0).type is TensorType.FLOAT32
    return binary_takes(node.options.kind, is_float=is_float)


def prepare(context: Context, node: Node) -> None:
    """The output has the common shape of the inputs."""
    shapes = [context.get_eval_tensor(index).shape for index in node.inputs]
    context.resize_tensor(node.outputs[0], np.broadcast_shapes(*shapes))


def invoke(context: Context, node: Node) -> None:
    """Apply the function to every pair of elements."""
    options: MnnBinaryOptions = node.options
    out = output_array(context, node)
    with np.errstate(all="ignore"):
        out[...] = BINARY[options.kind](
            input_array(context, node, 0), input_array(context, node, 1)
        )
    if options.relu:
        np.maximum(out, 0, out=out)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnBinaryOptions,
    constraints=(
        c.inputs_between(2, 2),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.FLOAT32, TensorType.INT32),
        kind_takes_type,
        output_type,
        shapes_broadcast,
    ),
)
