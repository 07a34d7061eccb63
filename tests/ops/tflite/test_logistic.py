"""LOGISTIC equals TFLM on random scales, zero points and types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import INT8, INT16, run, scales, shapes, unary_model, zero_points

OUTPUT = {"int8": (1 / 256, -128), "int16": (1 / 32768, 0), "float32": None}


def model(kind: str, scale: float = 0.1, zero_point: int = 0, shape=(256,)) -> Model:
    x = None if kind == "float32" else (scale, zero_point)
    return unary_model("LOGISTIC", shape, kind, x=x, y=OUTPUT[kind])


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(list(OUTPUT)))
    near_one = st.floats(0.998, 1.002)
    power_of_two = st.tuples(st.integers(-14, -9), near_one).map(lambda p: 2.0 ** p[0] * p[1])
    scale = draw(st.one_of(scales(), power_of_two))
    return model(kind, scale, draw(zero_points(kind)), draw(shapes(kind)))


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize("scale", [1e-6, 0.004, 0.0625, 0.3, 900])
def test_equals_tflm_on_every_int8(oracle, scale):
    assert agrees(oracle, model("int8", scale), 0, inputs=[INT8]).status == "ok"


@pytest.mark.parametrize("scale", [1e-6, 2**-12, 2**-11, 3e-4, 0.3, 900])
def test_equals_tflm_on_every_int16(oracle, scale):
    answer = agrees(oracle, model("int16", scale, shape=(65536,)), 0, inputs=[INT16])
    assert answer.status == "ok"


def test_int8_is_the_rounded_function():
    exact = 256 / (1 + np.exp(-0.05 * (INT8.astype(float) - 3))) - 128
    assert np.abs(run(model("int8", 0.05, 3), INT8) - exact).max() < 0.51


def test_float_does_not_overflow():
    got = run(model("float32", shape=(5,)), [-1e30, -20, 0, 20, 1e30])
    np.testing.assert_allclose(got, [0, 2.0611537e-09, 0.5, 1, 1], rtol=1e-6)


def test_another_int8_zero_point_is_refused(oracle):
    refused = unary_model("LOGISTIC", (4,), "int8", x=(0.1, 0), y=(1 / 256, 0))
    with pytest.raises(ConstraintError, match="has the zero point -128"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"


@pytest.mark.parametrize(
    ("x", "y"),
    [((0.1, 1), (2**-15, 0)), ((0.1, 0), (2**-15, 1)), ((0.1, 0), (2**-14, 0))],
)
def test_int16_that_is_not_symmetric_is_refused(oracle, x, y):
    refused = unary_model("LOGISTIC", (4,), "int16", x=x, y=y)
    with pytest.raises(ConstraintError, match=r"zero points 0 and the output scale 2\*\*-15"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"


def test_a_tiny_int8_scale_is_refused():
    with pytest.raises(ConstraintError, match=r"at least 2\*\*-28, got 1e-10"):
        run(model("int8", 1e-10), 0)
