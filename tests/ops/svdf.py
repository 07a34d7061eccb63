"""A small SVDF."""

from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.svdf import SVDFOptions
from tests.ops.differential import one_operator


def svdf(kind: str, **changes: Any) -> Model:
    """One unit of two filters with three steps of memory; all scales are 1."""
    is_float = kind == "float32"
    activations = "float32" if is_float else "int8"
    quantised: dict[str, Any] = {} if is_float else {"scale": 1.0}
    weights = np.dtype(activations)
    b = ModelBuilder()
    x = b.input("x", changes.get("input", (1, 1)), activations, **quantised)
    feature = b.constant("feature", np.array([[2], [-1]], weights), **quantised)
    times = changes.get("time", [[1, 2, 3], [0, 0, 1]])
    time = b.constant("time", np.array(times, kind), **quantised)
    bias = b.constant(
        "bias",
        np.array([10], np.float32 if is_float else np.int32),
        **({} if is_float else {"scale": changes.get("bias_scale", 1.0)}),
    )
    state = (b.variable if changes.get("variable", True) else b.input)(
        "state", changes.get("state", (1, 6)), changes.get("state_type", kind), **quantised
    )
    y = b.tensor("y", (1, 1), activations, **quantised)
    options = SVDFOptions(changes.get("rank", 2), changes.get("activation", 0))
    return one_operator(
        b, "SVDF", [x, feature, time, *changes.get("tail", (bias, state))], [y], options
    )
