"""RELU6 equals TFLM on random scales, zero points and types."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.differential import equals_tflm
from tests.ops.unary import run, scales, shapes, unary_model, zero_points


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "float32"]))
    if kind == "float32":
        return unary_model("RELU6", draw(shapes(kind)), kind)
    zero_point = draw(zero_points(kind)) if kind == "int8" else draw(st.integers(-32768, 32767))
    return unary_model(
        "RELU6",
        draw(shapes(kind)),
        kind,
        x=(draw(scales(-5, 2)), zero_point),
        y=(draw(scales(-5, 2)), draw(zero_points(kind))),
    )


test_equals_tflm = equals_tflm(models())


def test_int8_clamps_in_the_inputs_quantisation():
    model = unary_model("RELU6", (4,), "int8", x=(0.5, 10), y=(7.0, -3))
    np.testing.assert_array_equal(run(model, [-7, 10, 11, 127]), [10, 10, 11, 22])


def test_float_keeps_nan():
    model = unary_model("RELU6", (4,), "float32")
    np.testing.assert_array_equal(run(model, [-1, 5, 7, np.nan]), [0, 5, 6, np.nan])
