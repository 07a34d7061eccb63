"""FULLY_CONNECTED equals TFLM for all of its types, ranks and biases."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.fully_connected import FullyConnectedOptions
from tests.ops.convolutions import FLOAT, INT8, INT16, INT16_SHORT, Operands, exact_inputs
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(FLOAT + INT8 * 2 + INT16 + INT16_SHORT))
    leading = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    depth, units = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    if draw(st.integers(0, 9)) == 0:
        depth = 2000
    operands = Operands(draw, kind)
    b = operands.builder
    per_channel = kind.weights == "int8" and units > 1 and draw(st.booleans())
    inputs = [
        operands.x((*leading, depth)),
        operands.weights((units, depth), axis=0, per_channel=per_channel),
        *operands.bias(units),
    ]
    keep = draw(st.booleans())
    flat = (int(np.prod(leading)), units)
    y = operands.y((*leading, units) if keep else flat)
    options = FullyConnectedOptions(
        fused_activation_function=draw(st.integers(0, 5)),
        keep_num_dims=keep,
        quantized_bias_type=draw(st.sampled_from([0, 2, 4])),
    )
    b.operator("FULLY_CONNECTED", inputs, [y], options)
    b.output(y)
    return b.build()


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, inputs=exact_inputs(model, seed))
