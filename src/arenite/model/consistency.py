"""Conditions between a model's operators before one of them is prepared.

An operator's kernel is made for the tensors as they are when it is prepared, and may check
what it reads once. Both hold only where every tensor has one writer, which comes first.

TensorFlow Lite's verifier (``tools/verifier.cc``) demands the same. TFLM demands nothing: it
computes with whatever lies in the arena, and lets the last writer win.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.errors import ModelError
from arenite.model.calls import check_inference
from arenite.model.check import Quick
from arenite.model.model import Model, Operator, Subgraph

#: What TFLM's tool of that name leaves of a subgraph that sets variables.
_CLEARED = (
    ": TFLM's tflm_model_transforms removes such a constant, and variables then start from what "
    "lies in the arena; load the model from before, or leave out clear_resource_variable_buffers"
)


def check_order(
    model: Model,
    quick: Quick | None = None,
    takes_scratch: Callable[[Operator], bool] | None = None,
) -> None:
    """Check that every tensor is written once, and before it is read.

    Constants, variables and tensors without elements need no writer; graph inputs have one. Nor do
    inputs of operators that ``takes_scratch`` names: what nobody else writes is memory for them to
    work in, as in Vela's files. Nobody else reads it then.
    A subgraph's tensors are its own: whoever calls it writes its inputs and copies its outputs, so
    that each subgraph is looked at alone, once :func:`check_inference` has passed their calls.
    Builtin operators have no custom options (TFLM ``micro_interpreter_graph.cc``). With ``quick``
    most models take less time.

    Raises:
        ModelError: Names the first tensor of which that does not hold.
    """
    check_inference(model)
    for number, subgraph in enumerate(model.subgraphs):
        if quick is None or not quick.in_order(subgraph):
            _check_subgraph(subgraph, f"$.subgraphs[{number}]", takes_scratch)


def _check_subgraph(
    subgraph: Subgraph, path: str, takes_scratch: Callable[[Operator], bool] | None
) -> None:
    tensors = subgraph.tensors
    ready = {i for i, t in enumerate(tensors) if t.data is not None or t.is_variable}
    variables = {i for i in ready if tensors[i].is_variable}
    written = set(subgraph.inputs) - variables
    ready |= written
    for number, operator in enumerate(subgraph.operators):
        if operator.custom_options and not operator.is_custom:
            raise ModelError(
                f"{operator.name} is a builtin operator and has custom options, which TFLM refuses",
                path=f"{path}.operators[{number}].custom_options",
            )
        if not ready.issuperset(operator.inputs):
            may_be_scratch = takes_scratch is not None and takes_scratch(operator)
            where = f"{path}.operators[{number}]"
            _check_reads(subgraph, operator, ready, where, may_be_scratch=may_be_scratch)
        for place, index in enumerate(operator.outputs):
            if index in written:
                where = f"{path}.operators[{number}].outputs[{place}]"
                raise _written_twice(subgraph, index, where, operator)
            if index not in variables:
                written.add(index)
                ready.add(index)
    for place, index in enumerate(subgraph.outputs):
        if index not in ready and tensors[index].size:
            raise ModelError(
                f"tensor {index} ({tensors[index].name!r}) is an output, and nothing writes it",
                path=f"{path}.outputs[{place}]",
            )


def _check_reads(
    subgraph: Subgraph, operator: Operator, ready: set[int], where: str, *, may_be_scratch: bool
) -> None:
    for place, index in enumerate(operator.inputs):
        if index < 0 or index in ready or not subgraph.tensors[index].size:
            continue
        writers = (i for i, other in enumerate(subgraph.operators) if index in other.outputs)
        writer = next(writers, None)
        if writer is None and may_be_scratch:
            continue
        what = f"operator {writer} writes it later" if writer is not None else "nothing writes it"
        if writer is None and operator.name == "ASSIGN_VARIABLE":
            what += _CLEARED
        raise ModelError(
            f"{operator.name} reads tensor {index} ({subgraph.tensors[index].name!r}), and {what}",
            path=f"{where}.inputs[{place}]",
        )


def _written_twice(subgraph: Subgraph, index: int, path: str, operator: Operator) -> ModelError:
    name = subgraph.tensors[index].name
    if index in subgraph.inputs:
        writer = "is an input of the graph"
    elif index in operator.inputs:
        writer = "is its input as well"
    else:
        writer = "has another writer"
    return ModelError(
        f"{operator.name} writes tensor {index} ({name!r}), which {writer}", path=path
    )
