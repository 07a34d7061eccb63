"""Models with a mistake in their scales."""

from dataclasses import replace

import numpy as np

from arenite.model import Model, Quantization


def with_other_scale(model: Model, operator: int, factor: float) -> Model:
    """The same with an operator that rescales its products wrongly, by ``factor``."""
    index = model.main.operators[operator].inputs[1]
    tensors = list(model.main.tensors)
    q = tensors[index].quantization
    assert q is not None
    other = Quantization(q.scale * np.float32(factor), q.zero_point, q.quantized_dimension)
    tensors[index] = replace(tensors[index], quantization=other)
    return replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),))
