"""Models with one MAXIMUM or MINIMUM, and what they are fed."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from tests.ops.binary import binary_model, broadcast_shapes
from tests.ops.differential import random_array

OPTIONS = MaximumMinimumOptions()


@st.composite
def models(draw: st.DrawFn, name: str) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "int32", "int64", "float32"]))
    # Whatever the scales are, the quantised values are compared.
    scales = draw(st.sampled_from([None, (0.1, 0.2, 0.3)]))
    return binary_model(name, draw(broadcast_shapes()), kind, OPTIONS, scales=scales)


def operands(model: Model, seed: int) -> list[np.ndarray]:
    """Random inputs; of floats a tenth is NaN."""
    rng = np.random.default_rng(seed)
    inputs = [random_array(tensor, rng) for tensor in model.inputs]
    for value in inputs:
        if value.dtype.kind == "f":
            value[rng.random(value.shape) < 0.1] = np.nan
    return inputs
