"""The work of an operator, in MNN's millions.

MNN counts a multiplication with its addition once, in units of 10**6, and elements of other
outputs in units of 2**20. Facts: MNN 3.6.1 ``onComputeFlops`` in ``shape/*.cpp``.
"""

from __future__ import annotations

from math import prod
from typing import Any

from arenite.model import Model, Operator, Tensor

_MILLION = 1_000_000
_MEGA = 1 << 20


def flops(model: Model, operator: Operator) -> float:
    """The work of one operator of the main subgraph."""
    tensors = model.main.tensors
    inputs = [tensors[index] for index in operator.inputs if index >= 0]
    output = tensors[operator.outputs[0]]
    products = _products(operator, inputs, output)
    if products is not None:
        return products / _MILLION
    elements = sum(prod(tensors[index].shape) for index in operator.outputs)
    return elements * _taps(operator.options) / _MEGA


def _products(operator: Operator, inputs: list[Tensor], output: Tensor) -> int | None:
    """Multiplications, for operators that MNN counts so."""
    match operator.name:
        case "CONV_2D" | "DEPTHWISE_CONV_2D" | "MNN_CONV_INT8":
            return prod(output.shape[:-1]) * inputs[1].size
        case "FULLY_CONNECTED":
            return prod(inputs[0].shape) * inputs[1].shape[0]
        case "TRANSPOSE_CONV":
            return prod(inputs[2].shape[:-1]) * inputs[1].size
        case "BATCH_MATMUL":
            transposed = getattr(operator.options, "adj_x", False)
            return prod(output.shape) * inputs[0].shape[-2 if transposed else -1]
        case _:
            return None


def _taps(options: Any) -> int:
    """The number of elements of the input that make one of the output, for pooling."""
    return int(getattr(options, "filter_width", 1) * getattr(options, "filter_height", 1))
