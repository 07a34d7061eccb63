"""WHILE: a body that runs as long as a condition holds, each a subgraph.

The operator's outputs hold the values between two rounds. The condition is the first byte of the
condition's first output. A loop may have no end, as on the device; Ctrl-C ends it here. Facts: TFLM
``micro/kernels/while.cc``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.ops import Context, Node, Registration, Struct, Traits
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.shared import control_flow as flow


class WhileOptions(OptionsTable, union=93):
    """``table WhileOptions``."""

    cond_subgraph_index: int = slot(0, "int32")
    body_subgraph_index: int = slot(1, "int32")


def prepare(context: Context, node: Node) -> None:
    """Condition and body take what the operator takes, and the body gives as much."""
    condition, body = node.options.cond_subgraph_index, node.options.body_subgraph_index
    graph, count = context.graph, len(node.inputs)
    for subgraph in (condition, body):
        got = len(graph.subgraph_inputs(subgraph))
        flow.require_count(context, f"inputs of subgraph {subgraph}", got, count)
    flow.require_count(context, "outputs", count, len(node.outputs))
    got = len(graph.subgraph_outputs(body))
    flow.require_count(context, f"outputs of subgraph {body}", got, count)
    results = graph.subgraph_outputs(condition)
    if not results or not results[0].size:
        context.report_error(f"subgraph {condition} needs an output that says whether to go on")


def invoke(context: Context, node: Node) -> None:
    """Ask the condition, run the body, and so on; values go through the operator's outputs."""
    condition, body = node.options.cond_subgraph_index, node.options.body_subgraph_index
    graph = context.graph
    given, values = flow.operands(context, node.inputs), flow.operands(context, node.outputs)
    asked, taken = graph.subgraph_inputs(condition), graph.subgraph_inputs(body)
    flow.copy_tensors(context, f"inputs of subgraph {condition}", given, asked)
    flow.copy_tensors(context, "outputs", given, values)
    while True:
        graph.invoke_subgraph(condition)
        if not flow.is_true(graph.subgraph_outputs(condition)[0]):
            return
        flow.copy_tensors(context, f"inputs of subgraph {body}", values, taken)
        graph.invoke_subgraph(body)
        flow.copy_results(context, node, body)
        flow.copy_tensors(context, f"inputs of subgraph {condition}", values, asked)


REGISTRATION = Registration(
    init=allocate_struct(Struct("OpData", ("int", "int"))),
    prepare=prepare,
    invoke=invoke,
    options=WhileOptions,
    builtin_data=Struct("TfLiteWhileParams", ("int", "int")),
    constraints=(flow.all_present,),
)

TRAITS = Traits(effect="calls", drawn="call")
