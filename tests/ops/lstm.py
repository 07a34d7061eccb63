"""LSTMs with random weights."""

from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.unidirectional_sequence_lstm import UnidirectionalSequenceLSTMOptions
from tests.ops.differential import one_operator

TANH = 4


def lstm(
    kind: str,
    rng: np.random.Generator,
    *,
    batches: int = 2,
    steps: int = 3,
    inputs: int = 4,
    units: int = 5,
    time_major: bool = False,
    cell_clip: float = 0.0,
    spread: float = 1.0,
    zeros: tuple[int, int] = (3, -2),
    cell_scale: float = 2.0**-11,
    **changes: Any,
) -> Model:
    """An LSTM with random weights; scales vary by ten to the power of ``spread``."""
    b = ModelBuilder()
    is_float = kind == "float32"

    def scale(typical: float) -> dict[str, Any]:
        if is_float:
            return {}
        return {"scale": float(np.float32(typical * 10 ** rng.uniform(-spread, spread)))}

    def weights(name: str, columns: int) -> int:
        if is_float:
            return b.constant(name, rng.normal(0, 0.5, (units, columns)).astype(np.float32))
        value = rng.integers(-128, 128, (units, columns), dtype=np.int8)
        return b.constant(name, value, **{**scale(0.01), **changes.get("weights", {})})

    def bias(name: str) -> int:
        if is_float:
            return b.constant(name, rng.normal(0, 0.5, units).astype(np.float32))
        wide = np.int32 if kind == "int8" else np.int64
        return b.constant(name, rng.integers(-5000, 5000, units).astype(wide), scale=0.001)

    activations = {} if is_float else scale(0.02 if kind == "int8" else 1e-4)
    hidden = {} if is_float else scale(0.0078 if kind == "int8" else 2.0**-15)
    if "hidden_scale" in changes:
        hidden["scale"] = changes["hidden_scale"]
    if not is_float:
        activations["zero_point"], hidden["zero_point"] = zeros
    shape = (steps, batches) if time_major else (batches, steps)
    x = b.input("x", changes.get("input", (*shape, inputs)), kind, **activations)
    tensors = [x]
    tensors += [weights(f"input to {gate}", inputs) for gate in "ifco"]
    tensors += [weights(f"hidden to {gate}", units) for gate in "ifco"]
    tensors += [-1, -1, -1, *(bias(f"{gate} bias") for gate in "ifco"), -1, -1]
    state = b.variable if changes.get("variable", True) else b.input
    tensors.append(state("hidden", (batches, units), kind, **hidden))
    cell_kind = changes.get("cell", kind if is_float else "int16")
    cell: dict[str, Any] = {} if is_float else {"scale": cell_scale}
    tensors.append(b.variable("cell", (batches, units), cell_kind, **cell))
    tensors += [-1] * 4
    for index, tensor in changes.get("replace", {}).items():
        tensors[index] = tensor
    y = b.tensor("y", (*shape, units), kind, **hidden)
    options = UnidirectionalSequenceLSTMOptions(
        changes.get("activation", TANH), cell_clip=cell_clip, time_major=time_major
    )
    return one_operator(
        b, "UNIDIRECTIONAL_SEQUENCE_LSTM", tensors[: changes.get("count", 24)], [y], options
    )
