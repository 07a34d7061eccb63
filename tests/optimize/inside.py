"""Whether values lie in their ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model import Model, Tensor
from arenite.optimize.ranges import Ranges
from arenite.runtime.heap_host import HeapInterpreter


def real_range(tensor: Tensor, low: int, high: int) -> tuple[float, float]:
    """Real values to declare so that a tensor's own values are promised to lie in a range."""
    quantization = tensor.quantization
    if quantization is None or len(quantization.scale) != 1 or quantization.scale[0] <= 0:
        return -np.inf, np.inf
    scale = float(quantization.scale[0])
    zero = int(quantization.zero_point[0]) if len(quantization.zero_point) else 0
    return scale * (low - zero), scale * (high - zero)


def assert_inside(ranges: Ranges, model: Model, interpreter: HeapInterpreter) -> None:
    """Every value of every tensor of the main subgraph lies in its channel's range."""
    for (subgraph, index), (low, high) in ranges.tensors.items():
        data = interpreter.eval_tensor(index).data if subgraph == 0 else None
        if data is None:
            continue
        rows = data.reshape(-1, len(low))
        where = f"tensor {index} of\n{model}"
        assert (rows >= low).all(), where
        assert (rows <= high).all(), where


def with_all_outputs(model: Model) -> tuple[Model, list[int]]:
    """The model with every operator's outputs as its own, and which tensors these are."""
    outputs = [index for operator in model.main.operators for index in operator.outputs]
    main = replace(model.main, outputs=tuple(outputs))
    return replace(model, subgraphs=(main, *model.subgraphs[1:])), outputs
