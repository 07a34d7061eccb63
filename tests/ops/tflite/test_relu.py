"""RELU equals TFLM on random scales, zero points and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import INT8, INT16, run, scales, shapes, unary_model, zero_points


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "float32"]))
    if kind == "float32":
        return unary_model("RELU", draw(shapes(kind)), kind)
    scale = draw(scales(-6, 2))
    out_scale = draw(st.one_of(scales(-6, 2), st.floats(0.3, 3).map(lambda f: f * scale)))
    return unary_model(
        "RELU",
        draw(shapes(kind)),
        kind,
        x=(scale, draw(zero_points(kind))),
        y=(out_scale, draw(zero_points(kind))),
    )


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize("scale", [0.01, 0.0371, 0.3, 7])
def test_equals_tflm_on_every_value(oracle, scale):
    eight = unary_model("RELU", (256,), "int8", x=(scale, -5), y=(0.037, 100))
    sixteen = unary_model("RELU", (65536,), "int16", x=(scale, 0), y=(0.037, 0))
    assert agrees(oracle, eight, 0, inputs=[INT8]).status == "ok"
    assert agrees(oracle, sixteen, 0, inputs=[INT16]).status == "ok"


def test_int8_rescales_and_starts_at_the_zero_point():
    model = unary_model("RELU", (4,), "int8", x=(0.5, 0), y=(0.25, -10))
    np.testing.assert_array_equal(run(model, [-7, 0, 3, 127]), [-10, -10, -4, 127])


def test_float_keeps_nan():
    model = unary_model("RELU", (4,), "float32")
    np.testing.assert_array_equal(run(model, [-1, 0, 2, np.nan]), [0, 0, 2, np.nan])


def test_int16_with_a_zero_point_is_refused(oracle):
    refused = unary_model("RELU", (4,), "int16", x=(0.5, 1), y=(0.5, 0))
    with pytest.raises(ConstraintError, match="int16 has zero points 0"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"


def test_an_output_of_another_shape_keeps_it(oracle):
    b = ModelBuilder()
    x, y = b.input("x", (2, 2), "float32"), b.tensor("y", (4,), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    micro = MicroInterpreter(b.build(), AllOpsResolver(), 4096)
    micro.allocate_tensors()
    micro.input()[...] = [[1, -2], [3, 4]]
    micro.invoke()
    np.testing.assert_array_equal(micro.output(), [1, 0, 3, 4])
    assert agrees(oracle, b.build(), 0).status == "ok"
