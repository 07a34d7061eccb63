"""Outputs that are constants, as layers: a firmware's outputs lie in its arena."""

from __future__ import annotations

from dataclasses import replace

from arenite.model import Model, Operator
from arenite.ops.tflite.reshape import ReshapeOptions


def with_copied_constants(model: Model) -> Model:
    """The model with a RESHAPE for every output that is a constant; the same one if none is."""
    main = model.main
    computed = {index for operator in main.operators for index in operator.outputs}
    tensors, operators, outputs = list(main.tensors), list(main.operators), list(main.outputs)
    for place, index in enumerate(main.outputs):
        tensor = tensors[index]
        if not tensor.is_constant or index in computed:
            continue
        outputs[place] = len(tensors)
        tensors.append(replace(tensor, data=None, buffer=0))
        options = ReshapeOptions(new_shape=tensor.shape)
        operators.append(Operator("RESHAPE", (index,), (outputs[place],), options))
    if outputs == list(main.outputs):
        return model
    copied = replace(
        main, tensors=tuple(tensors), operators=tuple(operators), outputs=tuple(outputs)
    )
    return replace(model, subgraphs=(copied, *model.subgraphs[1:]))
