"""Random models with one reduction that compares."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.shared.reduction import ReducerOptions, reduced_shape
from tests.ops.differential import one_operator
from tests.ops.unary import Affine


def reduction(
    name: str,
    kind: str,
    shape: tuple[int, ...],
    axes: Any,
    *,
    keep_dims: bool = False,
    x: Affine | None = None,
    y: Affine | None = None,
    fed: bool = False,
) -> Model:
    """A reduction over constant axes, or axes that are fed."""
    b = ModelBuilder()
    affine = [{} if q is None else {"scale": q[0], "zero_point": q[1]} for q in (x, y)]
    axes = np.asarray(axes, np.int32)
    resolved = tuple({int(axis) % len(shape) for axis in axes.reshape(-1)} if shape else ())
    inp = b.input("x", shape, kind, **affine[0])
    axis = b.input("axes", axes.shape, "int32") if fed else b.constant("axes", axes)
    out = b.tensor("y", reduced_shape(shape, resolved, keep_dims), kind, **affine[1])
    return one_operator(b, name, [inp, axis], [out], ReducerOptions(keep_dims))


@st.composite
def reductions(draw: st.DrawFn, name: str, *kinds: str) -> Model:
    """Any shape, axes and options; empty inputs too, as far as outputs are not empty."""
    kind = draw(st.sampled_from(kinds))
    longer = st.sampled_from([(3, 200), (200, 3), (2, 70, 2), (1, 1, 500), (2, 65, 66)])
    shape = list(draw(st.lists(st.integers(1, 6), max_size=6).map(tuple) | longer))
    rank = len(shape)
    axes = draw(st.lists(st.integers(-rank, rank - 1) if rank else st.integers(-9, 9), max_size=5))
    if rank and axes and draw(st.sampled_from([True, False, False, False])):
        shape[axes[0]] = 0
    affine = draw(st.none() | st.tuples(st.just(0.3), st.integers(-128, 127)))
    if kind != "int8":
        affine = None
    return reduction(
        name,
        kind,
        tuple(shape),
        axes[0] if len(axes) == 1 and draw(st.booleans()) else axes,
        keep_dims=draw(st.booleans()),
        x=affine,
        y=affine,
    )


def odd_floats(model: Model, seed: int) -> list[np.ndarray[Any, Any]] | None:
    """Floats with infinities and NaN among them, for every second model of floats."""
    tensor = model.inputs[0]
    if tensor.type.name != "FLOAT32" or seed % 2:
        return None
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 2, tensor.shape).astype(np.float32)
    odd = rng.choice(np.array([np.nan, np.inf, -np.inf], np.float32), tensor.shape)
    return [np.where(rng.random(tensor.shape) < 0.4, odd, x).astype(np.float32)]
