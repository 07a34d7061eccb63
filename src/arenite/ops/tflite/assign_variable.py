"""ASSIGN_VARIABLE: a variable's new value.

The first one that is prepared for a variable gives it its size, and its memory in the arena's
tail, full of the value's zero point. Of a larger value the first bytes are taken. Facts: TFLM
``micro/kernels/assign_variable.cc`` and ``micro_resource_variable.cc``.
"""

from __future__ import annotations

from typing import Any

from arenite.model import OptionsTable
from arenite.ops import Context, Node, Registration, Scheme, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_tensor
from arenite.ops.resource_variables import raw_bytes
from arenite.ops.shared import variables as shared

#: What the operator keeps where TFLM was built with compressed tensors.
OP_DATA = Struct("OpData", ("int",))


class AssignVariableOptions(OptionsTable, union=113):
    """``table AssignVariableOptions``, which is empty."""


def init(context: Context, options: Any) -> None:
    """Room for the handle of a decompressed value."""
    if context.abi.compression:
        context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)


def prepare(context: Context, node: Node) -> shared.VariableParams:
    """Memory for the variable, if its number is known by now and it has none."""
    value = input_tensor(context, node, 1)
    number = shared.number_of(context, node)
    if number is not None:
        shared.variables_of(context).allocate(number, context, value)
    return shared.variable_params(context, node)


def invoke(context: Context, node: Node) -> None:
    """Copy the value to the variable."""
    variable = shared.variables_of(context).get(shared.number_of(context, node), context)
    value = raw_bytes(context, context.get_eval_tensor(node.inputs[1]))
    buffer = variable.buffer
    if buffer is None:
        context.report_error(
            f"variable {variable.shared_name!r} has no memory: no ASSIGN_VARIABLE gives it a size "
            "where its number is known before the inference"
        )
    if value.size < buffer.size:
        context.report_error(
            f"variable {variable.shared_name!r} has {buffer.size} bytes, the value {value.size}"
        )
    buffer[...] = value[: buffer.size]


REGISTRATION = Registration(
    init=init,
    prepare=prepare,
    invoke=invoke,
    options=AssignVariableOptions,
    constraints=(*c.counts(2, 0), shared.takes_a_number),
)

TRAITS = Traits(effect="variables")

SCHEME = Scheme(scales="same", alike=True)
