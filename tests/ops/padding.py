"""Models with one PAD or PADV2, for the tests of both."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from tests.ops.differential import one_operator

Array = np.ndarray[Any, Any]
Pairs = list[tuple[int, int]]
Quantized = tuple[float, int]
"""Scale and zero point."""


def padding_model(
    name: str,
    shape: tuple[int, ...],
    pairs: Pairs,
    kind: str = "int8",
    *,
    paddings: Array | None = None,
    value: Array | None = None,
    fed_value: bool = False,
    quantized: tuple[Quantized, Quantized] = ((0.5, 0), (0.5, 0)),
) -> Model:
    """``quantized`` is the output's (and input's), then the value's."""
    b = ModelBuilder()
    (scale, zero), (value_scale, value_zero) = quantized
    inputs = [b.input("x", shape, kind, scale=scale, zero_point=zero)]
    pads = np.array(pairs, np.int32).reshape(-1, 2) if paddings is None else paddings
    inputs.append(b.constant("paddings", pads))
    if value is not None and fed_value:
        inputs.append(b.input("v", value.shape, kind, scale=value_scale, zero_point=value_zero))
    elif value is not None:
        inputs.append(b.constant("v", value, scale=value_scale, zero_point=value_zero))
    whole = [left + n + right for n, (left, right) in zip(shape, pairs, strict=False)]
    y = b.tensor("y", whole, kind, scale=scale, zero_point=zero)
    return one_operator(b, name, inputs, [y])


@st.composite
def padding_models(draw: st.DrawFn, name: str) -> Model:
    """Any type, up to 5 dimensions, paddings up to 3, now and then a negative one."""
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"]))
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    low = draw(st.sampled_from([0, 0, 0, -2]))
    padding = st.integers(low, 3)
    pairs = [
        draw(st.tuples(padding, padding).filter(lambda pair, n=n: n + sum(pair) > 0)) for n in shape
    ]
    low, high = {"int8": (-128, 127), "int16": (-9, 9)}.get(kind, (0, 0))
    zero = draw(st.integers(low, high))
    value = None
    if draw(st.booleans()):
        number = draw(st.integers(-100, 100))
        value = np.full(draw(st.sampled_from([(), (1,), (1, 1)])), number, kind)
    return padding_model(
        name,
        shape,
        pairs,
        kind,
        value=value,
        fed_value=draw(st.booleans()),
        quantized=((0.5, zero), (0.5, zero)),
    )
