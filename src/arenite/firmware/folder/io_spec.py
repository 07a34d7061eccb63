"""Inputs and outputs of a firmware, as ``arenite.json`` has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arenite.firmware.network.layers import Value
from arenite.memory.budget import Budget
from arenite.model import Model, Quantization, Subgraph, Tensor, TensorType

_TYPES = {str(one): one for one in TensorType}


def port_facts(value: Value) -> dict[str, Any]:
    """An input or output as JSON."""
    return {
        "name": value.name,
        "type": str(value.type),
        "shape": list(value.shape),
        "scale": value.scale if np.isfinite(value.scale) else 0.0,
        "zero_point": value.zero_point,
    }


def ports_model(facts: Mapping[str, Any], source: str) -> Model:
    """The ports of a manifest as a model without operators, which inputs are checked against.

    Args:
        facts: As :func:`arenite.firmware.folder.manifest.manifest_of` gives them.
        source: Where they are from.

    Raises:
        MemoryLimitError: The ports take more than an interpreter may.
    """
    inputs, outputs = ([_tensor(row) for row in facts[side]] for side in ("inputs", "outputs"))
    tensors = (*inputs, *outputs)
    budget = Budget()
    for tensor in tensors:
        budget.take(tensor.nbytes, f"{source}: a port of the shape {list(tensor.shape)}")
    first = tuple(range(len(inputs)))
    last = tuple(range(len(inputs), len(tensors)))
    return Model((Subgraph(tensors, (), first, last),), source=source)


def _tensor(row: Mapping[str, Any]) -> Tensor:
    shape = tuple(row["shape"])
    scale, zero = np.array([row["scale"]], np.float32), np.array([row["zero_point"]], np.int64)
    quantization = Quantization(scale, zero) if row["scale"] else None
    return Tensor(row["name"], _TYPES[row["type"]], shape, quantization=quantization)
