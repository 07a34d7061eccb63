"""CONV_2D equals TFLM on random geometry, quantisation, activations and types."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.conv_2d import Conv2DOptions
from arenite.ops.kernel_util import window_output_size
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    batch, h, w = draw(st.integers(1, 2)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    kh, kw = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    groups = draw(st.sampled_from([1, 1, 1, 2, 3]))
    depth, filters = draw(st.integers(1, 5)), draw(st.integers(1, 5)) * groups
    options = Conv2DOptions(
        padding=draw(st.integers(0, 1)),
        stride_w=draw(st.integers(1, 3)),
        stride_h=draw(st.integers(1, 3)),
        fused_activation_function=draw(st.integers(0, 3)),
        dilation_w_factor=draw(st.integers(1, 2)),
        dilation_h_factor=draw(st.integers(1, 2)),
    )
    # What does not fit TFLM computes anyway, over whatever output the file declares.
    assume(h > (kh - 1) * options.dilation_h_factor or not options.padding)
    assume(w > (kw - 1) * options.dilation_w_factor or not options.padding)
    oh = window_output_size(options.padding, h, kh, options.stride_h, options.dilation_h_factor)
    ow = window_output_size(options.padding, w, kw, options.stride_w, options.dilation_w_factor)
    per_channel, has_bias = draw(st.booleans()), draw(st.booleans())
    b = ModelBuilder()
    shape = (filters, kh, kw, depth)
    if kind == "float32":
        x = b.input("x", (batch, h, w, depth * groups), kind)
        weights = b.constant("w", rng.normal(size=shape).astype(np.float32))
        bias = b.constant("bias", rng.normal(size=filters).astype(np.float32)) if has_bias else -1
        y = b.tensor("y", (batch, max(oh, 1), max(ow, 1), filters), kind)
    else:
        zero = (lambda: 0) if kind == "int16" else (lambda: int(rng.integers(-128, 128)))
        scales = rng.uniform(0.001, 0.1, filters if per_channel else 1)
        x = b.input("x", (batch, h, w, depth * groups), kind, scale=0.05, zero_point=zero())
        weights = b.constant("w", rng.integers(-127, 128, shape, dtype=np.int8), scale=scales)
        wide = np.int64 if kind == "int16" else np.int32
        bias = (
            b.constant("bias", rng.integers(-5000, 5000, filters).astype(wide), scale=scales * 0.05)
            if has_bias
            else -1
        )
        out_scale = float(rng.uniform(0.001, 0.5))
        y = b.tensor(
            "y",
            (batch, max(oh, 1), max(ow, 1), filters),
            kind,
            scale=out_scale,
            zero_point=zero(),
        )
    b.operator("CONV_2D", [x, weights, *([bias] if has_bias else [])], [y], options)
    b.output(y)
    return b.build()


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed)
