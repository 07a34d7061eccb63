"""MNN_LOOKUP: a function of int8 as a table of its 256 values.

Facts: MNN 3.6.1 ``backend/cpu/CPUUnary.cpp`` (``tableInt8`` and the kernels for int8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.numeric import lut
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
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


@dataclass(frozen=True)
class MnnLookupParams:
    """The values by the byte: those for 0 to 127, then those for -128 to -1."""

    table: Array


def prepare(context: Context, node: Node) -> MnnLookupParams:
    """The output has the input's shape."""
    shape = input_tensor(context, node, 0).shape
    context.resize_tensor(output_tensor(context, node).index, shape)
    return MnnLookupParams(np.roll(np.array(node.options.table, np.int8), 128))


def invoke(context: Context, node: Node) -> None:
    """Look every element up."""
    params: MnnLookupParams = node.params
    lut.take_int8(params.table, input_array(context, node, 0), output_array(context, node))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnLookupOptions,
    constraints=(*one_to_one(TensorType.INT8), table_is_whole),
)
