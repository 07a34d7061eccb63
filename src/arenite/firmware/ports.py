"""What goes into a firmware and comes out of it, as ``arenite.json`` says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arenite.errors import BoardError
from arenite.firmware.layers import Value
from arenite.model import Model, Quantization, Subgraph, Tensor, TensorType

_TYPES = {str(one): one for one in TensorType}
#: Elements of one port, at most: more is no firmware, whatever a manifest says.
_MOST = 1 << 28


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

    Raises:
        BoardError: The manifest does not say what they are.
    """
    inputs, outputs = (_tensors(facts, side) for side in ("inputs", "outputs"))
    tensors = (*inputs, *outputs)
    first = tuple(range(len(inputs)))
    last = tuple(range(len(inputs), len(tensors)))
    return Model((Subgraph(tensors, (), first, last),), source=source)


def _tensors(facts: Mapping[str, Any], side: str) -> list[Tensor]:
    rows = facts.get(side)
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise BoardError(f"the manifest has no list of {side}")
    return [_tensor(row, f"{side}[{number}]") for number, row in enumerate(rows)]


def _tensor(row: Any, where: str) -> Tensor:
    try:
        name, type_, shape = str(row["name"]), _TYPES[row["type"]], tuple(map(int, row["shape"]))
        scale, zero = float(row["scale"]), int(row["zero_point"])
    except (KeyError, TypeError, ValueError) as error:
        raise BoardError(f"the manifest's {where} is broken: {error!r}") from None
    if min(shape, default=1) < 0 or np.prod(shape, dtype=float) > _MOST:
        raise BoardError(f"the manifest's {where} has the impossible shape {list(shape)}")
    quantization = Quantization(np.array([scale], np.float32), np.array([zero], np.int64))
    return Tensor(name, type_, shape, quantization=quantization if scale else None)
