"""MNN_LOOKUP: a function of int8 as a table of its 256 values.

Facts: MNN 3.6.1 ``backend/cpu/CPUUnary.cpp`` (``tableInt8`` and the kernels for int8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops._mnn import from_mnn
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnLookupOptions(OptionsTable):
    """The values for -128 to 127."""

    table: tuple[int, ...] = ()


def table_is_whole(node: NodeView) -> bool:
    """The table has 256 values of int8."""
    table = node.options.table
    return len(table) == 256 and -128 <= min(table) <= max(table) <= 127


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    shape = input_tensor(context, node, 0).shape
    context.resize_tensor(output_tensor(context, node).index, shape)


def invoke(context: Context, node: Node) -> None:
    """Look every element up."""
    options: MnnLookupOptions = node.options
    table = np.array(options.table, np.int8)
    places = input_array(context, node, 0).astype(np.int16) + 128
    np.take(table, places, out=output_array(context, node), mode="clip")


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnLookupOptions,
    constraints=(
        c.inputs_between(1, 1),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.INT8),
        c.same_type(),
        table_is_whole,
    ),
)
