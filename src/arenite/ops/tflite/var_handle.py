"""VAR_HANDLE: the number of the variable that has a container and a name.

Two handles of the same names are the same variable; one without a container is any variable of its
name. Facts: TFLM ``micro/kernels/var_handle.cc`` and ``micro_resource_variable.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import INT32, RESOURCE
from arenite.ops import Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import allocate_struct


class VarHandleOptions(OptionsTable, union=111):
    """``table VarHandleOptions``; None where the file leaves a name out."""

    container: str | None = slot(0, "string", None)
    shared_name: str | None = slot(1, "string", None)


def gives_a_number(node: c.NodeView) -> bool:
    """The output is a resource or an int32."""
    return node.output(0).type in (RESOURCE, INT32)


def prepare(context: Context, node: Node) -> None:
    """The output is the variable's number from now on; it takes no room among the tensors."""
    variables = context.graph.resource_variables
    if variables is None:
        context.report_error("there is no room for variables (resource_variables=0)")
    options: VarHandleOptions = node.options
    number = variables.create_id_if_none_found(context, options.container, options.shared_name)
    output = context.get_eval_tensor(node.outputs[0])
    handle = np.full(output.shape, number, np.int32)
    handle.flags.writeable = False
    context.place_tensor(node.outputs[0], handle)


def invoke(context: Context, node: Node) -> None:
    """Nothing: the output never changes."""


REGISTRATION = Registration(
    init=allocate_struct(Struct("OpData", ("int32",))),
    prepare=prepare,
    invoke=invoke,
    options=VarHandleOptions,
    builtin_data=Struct("TfLiteVarHandleParams", ("pointer", "pointer")),
    constraints=(c.outputs_exactly(1), gives_a_number),
)

TRAITS = Traits(effect="variables")
