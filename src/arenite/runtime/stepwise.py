"""Run a planned model operator by operator, and look at tensors on the way."""

from __future__ import annotations

from arenite.ops.context import Array
from arenite.runtime.micro_interpreter import MicroInterpreter

#: Tensors by index in the main subgraph, as views of the arena.
Tensors = list[tuple[int, Array]]


def operator_tensors(micro: MicroInterpreter, number: int) -> tuple[Tensors, Tensors]:
    """The inputs and outputs of an operator of the main subgraph, without constants.

    Inputs are what they shall be when all operators before it have run, outputs when it has
    run; later operators may take their memory.
    """
    operator = micro.model.main.operators[number]
    return _present(micro, operator.inputs), _present(micro, operator.outputs)


def invoke_operator(micro: MicroInterpreter, number: int) -> None:
    """Run one operator of the main subgraph."""
    if micro.compiled is not None:
        micro.compiled.invoke_node(number)
        return
    entry = micro._graph.nodes[0][number]
    micro._context.enter_node(0, number)
    entry.registration.invoke(micro._context, entry.node)


def _present(micro: MicroInterpreter, indices: tuple[int, ...]) -> Tensors:
    tensors = micro.model.main.tensors
    arrays = micro._context.tensors[0]
    return [
        (index, data)
        for index in indices
        if index >= 0 and not tensors[index].is_constant
        if (data := arrays[index].data) is not None
    ]
