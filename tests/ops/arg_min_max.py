"""Models with ARG_MAX or ARG_MIN, and inputs with ties and NaN, for their tests."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.arg_max import ArgMaxOptions
from arenite.ops.tflite.arg_min import ArgMinOptions
from tests.ops.differential import one_operator

OPTIONS = {"ARG_MAX": ArgMaxOptions(2), "ARG_MIN": ArgMinOptions(2)}
NAN, INF = np.nan, np.inf


def search(name: str, kind: str, shape: tuple[int, ...], axis: Any, **changes: Any) -> Model:
    """ARG_MAX or ARG_MIN with a constant axis, or one fed as second input."""
    b = ModelBuilder()
    axis = np.asarray(axis, changes.get("axis_type", np.int32))
    x = b.input("x", shape, kind)
    fed = changes.get("feed_axis", False)
    index = b.input("axis", axis.shape, "int32") if fed else b.constant("axis", axis)
    out_shape = list(shape)
    if shape and axis.size:
        del out_shape[int(axis.reshape(-1)[0]) % len(shape)]
    y = b.tensor("y", out_shape, changes.get("output_type", "int32"))
    return one_operator(b, name, [x, index], [y], OPTIONS[name])


@st.composite
def models(draw: st.DrawFn, name: str) -> Model:
    kind = draw(st.sampled_from(["int8", "float32"]))
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=5)))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    return search(name, kind, shape, draw(st.sampled_from([axis, [axis]])))


def values(model: Model, seed: int, spread: int) -> np.ndarray[Any, Any]:
    """An input with few different values; floats have NaN or infinities among them."""
    rng = np.random.default_rng(seed)
    shape, dtype = model.inputs[0].shape, model.inputs[0].type.dtype
    x = rng.integers(-spread, spread, shape, endpoint=True).astype(dtype)
    if dtype == np.float32:
        x = np.where(rng.random(shape) < 0.2, rng.choice([NAN, INF, -INF, -0.0]), x)
    return x.astype(dtype)
