"""Models that compare two inputs, and what they are fed."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.binary import Scales, ZeroPoints, binary_model, broadcast_shapes, run
from tests.ops.differential import random_array

KINDS = ["int8", "int8", "int8", "float32", "int32", "int64"]


@st.composite
def comparisons(draw: st.DrawFn, name: str, *more: str) -> Model:
    """An operator on one of the types that all comparisons have, or on ``more``."""
    kind = draw(st.sampled_from([*KINDS, *more]))
    scale = st.floats(-4, -0.001).map(lambda exponent: 10**exponent)
    zero = st.integers(-128, 127)
    scales: Scales | None = None
    zeros: ZeroPoints = (0, 0, 0)
    if kind == "int8" or draw(st.booleans()):
        first = draw(scale)
        scales = (first, draw(scale | st.just(first)), 1.0)
    if kind == "int8":
        offset = draw(zero)
        zeros = (offset, draw(zero | st.just(offset)), 0)
    shapes = draw(broadcast_shapes())
    return binary_model(name, shapes, kind, scales=scales, zero_points=zeros, output="bool")


def operands(model: Model, seed: int) -> list[np.ndarray]:
    """Both inputs: half of the time of few values, of which many are equal, and some NaN."""
    rng = np.random.default_rng(seed)
    values = [random_array(tensor, rng) for tensor in model.inputs]
    if values[0].dtype != np.bool_ and rng.random() < 0.5:
        values = [rng.integers(-3, 4, x.shape).astype(x.dtype) for x in values]
    for x in values:
        if x.dtype.kind == "f":
            x[rng.random(x.shape) < 0.1] = np.nan
    return values


def compare(name: str, kind: str, a: Any, b: Any, **options: Any) -> list[bool]:
    """The output of a comparison of two lists."""
    shapes = np.shape(a), np.shape(b)
    result: list[bool] = run(
        binary_model(name, shapes, kind, output="bool", **options), a, b
    ).tolist()
    return result
