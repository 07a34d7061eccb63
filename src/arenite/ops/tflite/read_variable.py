"""READ_VARIABLE: a variable's value.

TFLM copies as many bytes as the variable has. What the output has beyond them is undefined there,
all of it where no ASSIGN_VARIABLE of the model writes the variable; here it is 0. Facts: TFLM
``micro/kernels/read_variable.cc`` and ``micro_resource_variable.cc``.
"""

from __future__ import annotations

from arenite.model import OptionsTable
from arenite.ops import Context, Node, Registration, Scheme, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_tensor
from arenite.ops.resource_variables import raw_bytes
from arenite.ops.shared import variables as shared


class ReadVariableOptions(OptionsTable, union=112):
    """``table ReadVariableOptions``, which is empty."""


def prepare(context: Context, node: Node) -> shared.VariableParams:
    """The variables that it may be."""
    input_tensor(context, node, 0)
    return shared.variable_params(context, node)


def invoke(context: Context, node: Node) -> None:
    """Copy the variable to the output."""
    variable = shared.variables_of(context).get(shared.number_of(context, node), context)
    output = raw_bytes(context, context.get_eval_tensor(node.outputs[0]))
    size = 0 if variable.buffer is None else variable.buffer.size
    if size > output.size:
        context.report_error(
            f"variable {variable.shared_name!r} has {size} bytes, which do not fit the output's "
            f"{output.size}"
        )
    if size < output.size:
        context.warn_undefined(
            f"variable {variable.shared_name!r} has {size} bytes, and the output {output.size}; "
            "here the others are 0"
        )
        output[size:] = 0
    if variable.buffer is not None:
        output[:size] = variable.buffer


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=ReadVariableOptions,
    constraints=(*c.counts(1, 1), shared.takes_a_number),
)

TRAITS = Traits(effect="variables")

SCHEME = Scheme(scales="same", alike=True)
