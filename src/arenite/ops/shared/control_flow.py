"""Common parts of IF, WHILE and CALL_ONCE: values go between subgraphs by copies.

Facts: TFLM ``micro/kernels/kernel_util.cc`` (``CopyOpInputsToSubgraphInputs`` and its kin). Sizes
in bytes decide there whether two tensors fit, and only when they are copied; neither types nor
dimensions do.
"""

from __future__ import annotations

from collections.abc import Sequence

from arenite.ops import Context, EvalTensor, Node, NodeView
from arenite.ops.resource_variables import context_bytes, raw_bytes

#: Where CALL_ONCE's ``OpData`` says whether its subgraph has run.
HAS_RUN = 4


def all_present(node: NodeView) -> bool:
    """All inputs and outputs are present."""
    return None not in node.inputs and None not in node.outputs


def operands(context: Context, indices: Sequence[int]) -> list[EvalTensor]:
    """Tensors of the current subgraph."""
    return [context.get_eval_tensor(index) for index in indices]


def copy_tensors(
    context: Context, what: str, sources: Sequence[EvalTensor], targets: Sequence[EvalTensor]
) -> None:
    """Copy one tensor after the other; each pair must have the same number of bytes."""
    require_count(context, what, len(targets), len(sources))
    for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
        sizes = context_bytes(context, source), context_bytes(context, target)
        if sizes[0] != sizes[1]:
            context.report_error(
                f"{what}: number {number} has {sizes[0]} bytes ({source.type}{list(source.shape)}) "
                f"and goes to {sizes[1]} ({target.type}{list(target.shape)})"
            )
        raw_bytes(context, target)[...] = raw_bytes(context, source)


def copy_results(context: Context, node: Node, subgraph: int) -> None:
    """Copy a subgraph's outputs to the node's; a subgraph without outputs leaves zeros there."""
    outputs = operands(context, node.outputs)
    results = context.graph.subgraph_outputs(subgraph)
    if not results:
        for output in outputs:
            raw_bytes(context, output)[...] = 0
        return
    copy_tensors(context, f"outputs of subgraph {subgraph}", results, outputs)


def require_count(context: Context, what: str, expected: int, got: int) -> None:
    """Report another number of tensors than expected."""
    if expected != got:
        context.report_error(f"{what}: expected {expected} tensors, got {got}")


def is_true(tensor: EvalTensor) -> bool:
    """Whether a condition holds: its first byte says so."""
    assert tensor.data is not None
    return bool(tensor.data.reshape(-1).view("u1")[0])
