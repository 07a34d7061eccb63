"""LEAKY_RELU equals TFLM on random slopes, scales, zero points and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from tests.ops.differential import equals_tflm
from tests.ops.unary import run, scales, shapes, unary_model, zero_points


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "float32"]))
    alphas = st.one_of(st.floats(-3, 3, width=32), st.sampled_from([0.0, 0.1, 1.0, -0.5]))
    options = LeakyReluOptions(draw(alphas))
    if kind == "float32":
        return unary_model("LEAKY_RELU", draw(shapes()), kind, options)
    scale = draw(scales(-5, 2))
    out_scale = draw(st.one_of(scales(-5, 2), st.floats(0.3, 3).map(lambda f: f * scale)))
    zero = st.integers(-200, 200) if kind == "int16" else zero_points(kind)
    return unary_model(
        "LEAKY_RELU",
        draw(shapes(kind)),
        kind,
        options,
        x=(scale, draw(zero)),
        y=(out_scale, draw(zero)),
    )


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize(("alpha", "negative"), [(0.5, -6), (-0.5, 4), (2.0, -21)])
def test_int8_scales_negative_values_by_alpha(alpha, negative):
    options = LeakyReluOptions(alpha)
    model = unary_model("LEAKY_RELU", (3,), "int8", options, x=(0.5, 0), y=(0.5, -1))
    np.testing.assert_array_equal(run(model, [-10, 0, 10]), [negative, -1, 9])


def test_float_scales_negative_values_by_alpha():
    model = unary_model("LEAKY_RELU", (3,), "float32", LeakyReluOptions(-2.0))
    np.testing.assert_array_equal(run(model, [-10, 0, 10]), [20, 0, 10])
