"""IF: one of two subgraphs, as a condition says.

Inputs behind the condition are copied to the subgraph's inputs, and its outputs to the operator's.
A branch without outputs leaves those of the operator undefined in TFLM, which looks at the number
of the ``then`` branch's only; here they are zeros. Facts: TFLM ``micro/kernels/if.cc``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.model.types import BOOL
from arenite.ops import Context, Node, NodeView, Registration, Struct, Traits
from arenite.ops.kernel_util import allocate_struct, input_tensor
from arenite.ops.shared import control_flow as flow


class IfOptions(OptionsTable, union=92):
    """``table IfOptions``."""

    then_subgraph_index: int = slot(0, "int32")
    else_subgraph_index: int = slot(1, "int32")


def condition_is_one_bool(node: NodeView) -> bool:
    """There is at least one input, and the first is one bool."""
    return len(node.inputs) > 0 and node.input(0).type is BOOL and node.input(0).size == 1


def prepare(context: Context, node: Node) -> None:
    """The ``then`` branch has as many inputs and outputs as the operator gives and takes."""
    input_tensor(context, node, 0)
    branch, graph = node.options.then_subgraph_index, context.graph
    inputs, outputs = graph.subgraph_inputs(branch), graph.subgraph_outputs(branch)
    flow.require_count(context, f"inputs of subgraph {branch}", len(inputs), len(node.inputs) - 1)
    flow.require_count(context, f"outputs of subgraph {branch}", len(outputs), len(node.outputs))
    if node.outputs and not graph.subgraph_outputs(node.options.else_subgraph_index):
        context.warn_undefined(
            "the else branch has no outputs, and those of IF are not written; here they are 0 then"
        )


def invoke(context: Context, node: Node) -> None:
    """Copy the inputs, run the branch, copy the outputs."""
    condition, *values = flow.operands(context, node.inputs)
    options: IfOptions = node.options
    branch = options.then_subgraph_index if flow.is_true(condition) else options.else_subgraph_index
    inputs = context.graph.subgraph_inputs(branch)
    flow.copy_tensors(context, f"inputs of subgraph {branch}", values, inputs)
    context.graph.invoke_subgraph(branch)
    flow.copy_results(context, node, branch)


REGISTRATION = Registration(
    init=allocate_struct(Struct("OpData", ("int", "int"))),
    prepare=prepare,
    invoke=invoke,
    options=IfOptions,
    builtin_data=Struct("TfLiteIfParams", ("int", "int")),
    constraints=(flow.all_present, condition_is_one_bool),
)

TRAITS = Traits(effect="calls", drawn="call")
