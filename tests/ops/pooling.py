"""Random models with one pooling operator."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops._pooling import Pool2DOptions
from tests.ops.convolutions import windows


@st.composite
def pooling_models(draw: st.DrawFn, operator: str) -> Model:
    """Any window, type, quantisation and activation."""
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32"]))
    window = draw(windows(dilations=(1,)))
    batch, depth = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    quantization: dict[str, float] = {}
    if kind != "float32":
        limits = np.iinfo(kind)
        zero_point = rng.choice([0, limits.min, limits.max, rng.integers(limits.min, limits.max)])
        quantization = {"scale": 10.0 ** rng.uniform(-6, 2), "zero_point": int(zero_point)}
    b = ModelBuilder()
    x = b.input("x", (batch, *window.size, depth), kind, **quantization)
    y = b.tensor("y", (batch, *window.output, depth), kind, **quantization)
    options = Pool2DOptions(
        padding=window.padding,
        stride_w=window.stride[1],
        stride_h=window.stride[0],
        filter_width=window.filter[1],
        filter_height=window.filter[0],
        fused_activation_function=draw(st.integers(0, 5)),
    )
    b.operator(operator, [x], [y], options)
    b.output(y)
    return b.build()

