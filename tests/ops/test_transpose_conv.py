"""TRANSPOSE_CONV equals TFLM on random geometry, quantisation, activations and types."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.transpose_conv import TransposeConvOptions
from tests.ops.convolutions import FLOAT, INT8, INT16, Kind, Operands, exact_inputs
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle

KINDS = [kind for kind in FLOAT + INT8 * 2 + INT16 if kind.weights != "int4"]
KINDS += [Kind("int16", "int8", "int16")]


def output_size(size: int, taps: int, stride: int, padding: int) -> int:
    return size * stride if padding == 0 else (size - 1) * stride + taps


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(KINDS))
    pair = st.tuples(st.integers(1, 4), st.integers(1, 4))
    size, taps, stride = draw(pair), draw(pair), draw(pair)
    padding = draw(st.integers(0, 1))
    output = [output_size(*axis, padding) for axis in zip(size, taps, stride, strict=True)]
    if draw(st.booleans()):  # TFLM takes any output size
        output = [max(1, n + draw(st.integers(-3, 3))) for n in output]
    batch, depth, filters = (draw(st.integers(1, n)) for n in (2, 5, 5))
    operands = Operands(draw, kind)
    b = operands.builder
    shape = b.constant("shape", np.array([batch, *output, filters], np.int32))
    x = operands.x((batch, *size, depth))
    weights = operands.weights((filters, *taps, depth), axis=0)
    inputs = [shape, weights, x, *operands.bias(filters)]
    y = operands.y((batch, *output, filters))
    options = TransposeConvOptions(
        padding=padding,
        stride_w=stride[1],
        stride_h=stride[0],
        fused_activation_function=draw(st.integers(0, 5)),
        quantized_bias_type=draw(st.sampled_from([0, 2, 4])),
    )
    b.operator("TRANSPOSE_CONV", inputs, [y], options)
    b.output(y)
    return b.build()


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, inputs=exact_inputs(model, seed))
