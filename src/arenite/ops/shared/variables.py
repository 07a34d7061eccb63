"""Common parts of READ_VARIABLE and ASSIGN_VARIABLE: which variable is meant."""

from __future__ import annotations

from dataclasses import dataclass

from arenite.model.types import INT32, RESOURCE
from arenite.ops import Context, Node, NodeView
from arenite.ops.resource_variables import ResourceVariables


@dataclass(frozen=True)
class VariableParams:
    """Number of the first variable that the node may mean; its kernel sees them as state."""

    first: int


def takes_a_number(node: NodeView) -> bool:
    """Input 0 is one resource or int32."""
    handle = node.input(0)
    return handle.type in (RESOURCE, INT32) and handle.size == 1


def variables_of(context: Context) -> ResourceVariables:
    """The interpreter's variables."""
    variables = context.graph.resource_variables
    if variables is None:
        context.report_error("there are no variables: the model has no VAR_HANDLE, or no room")
    return variables


def number_of(context: Context, node: Node) -> int | None:
    """The number that the first input holds; None in ``prepare``, if it is a subgraph's input."""
    data = context.get_eval_tensor(node.inputs[0]).data
    return None if data is None else int(data.reshape(-1)[0])


def variable_params(context: Context, node: Node) -> VariableParams:
    """The variables that a node may mean: one, or any where the inference has to say."""
    number = number_of(context, node)
    context.use_variables(number)
    return VariableParams(number or 0)
