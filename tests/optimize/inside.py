"""Whether values lie in their ranges."""

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
        if data is None or not data.size:
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


def random_steps(model: Model, seed: int, count: int) -> list[list[np.ndarray]]:
    """The smallest and largest inputs, both at random, and random ones."""
    rng = np.random.default_rng(seed)
    kinds = [
        lambda info, shape: np.full(shape, info.min),
        lambda info, shape: np.full(shape, info.max),
        lambda info, shape: rng.choice([info.min, info.max], shape),
        lambda info, shape: rng.integers(info.min, info.max + 1, shape),
    ]

    def values(tensor: Tensor, kind: int) -> np.ndarray:
        dtype = tensor.type.dtype
        return np.asarray(kinds[kind](np.iinfo(dtype), tensor.shape)).astype(dtype)

    return [[values(t, min(n, 3)) for t in model.inputs] for n in range(count)]
