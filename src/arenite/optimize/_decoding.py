"""A model with TFLM_DECODE before every operator that reads a constant in fewer bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model import Model, Operator, Subgraph, Tensor, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.shared.encoding import Codes
from arenite.optimize._encodings import Place


def decoding(model: Model, chosen: dict[Place, Codes]) -> Model:
    """The model with a TFLM_DECODE before every operator that reads one of them."""
    subgraphs = list(model.subgraphs)
    for number, subgraph in enumerate(subgraphs):
        mine = {place.tensor: codes for place, codes in chosen.items() if place.subgraph == number}
        if mine:
            subgraphs[number] = _subgraph(subgraph, mine)
    return replace(model, subgraphs=tuple(subgraphs))


def _subgraph(subgraph: Subgraph, chosen: dict[int, Codes]) -> Subgraph:
    tensors, operators = list(subgraph.tensors), list[Operator]()
    constants: dict[bytes, int] = {}
    decoded: set[int] = set()

    def constant(data: bytes) -> int:
        if data not in constants:
            value = np.frombuffer(data, np.uint8)
            constants[data] = len(tensors)
            tensors.append(Tensor("", TensorType.UINT8, value.shape, constant_bytes(value)))
        return constants[data]

    def output(index: int) -> int:
        """The tensor itself, without its data; a copy for every further operator."""
        empty = replace(subgraph.tensors[index], data=None, buffer=0)
        if index not in decoded:
            decoded.add(index)
            tensors[index] = empty
            return index
        tensors.append(empty)
        return len(tensors) - 1

    for operator in subgraph.operators:
        wanted = [i for i in dict.fromkeys(operator.inputs) if i in chosen]
        if not wanted:
            operators.append(operator)
            continue
        pairs = [constant(data) for i in wanted for data in (chosen[i].codes, chosen[i].meaning)]
        outputs = {i: output(i) for i in wanted}
        operators.append(
            Operator("TFLM_DECODE", tuple(pairs), tuple(outputs.values()), is_custom=True)
        )
        inputs = tuple(outputs.get(i, i) for i in operator.inputs)
        operators.append(replace(operator, inputs=inputs))
    return replace(subgraph, tensors=tuple(tensors), operators=tuple(operators))
