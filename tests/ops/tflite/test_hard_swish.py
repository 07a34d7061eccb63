"""HARD_SWISH equals TFLM on random scales, zero points and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.tflite.hard_swish import HardSwishOptions
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import INT8, Affine, run, scales, shapes, unary_model, zero_points


def int8_model(x: Affine, y: Affine, shape: tuple[int, ...] = (256,)) -> Model:
    return unary_model("HARD_SWISH", shape, "int8", HardSwishOptions(), x=x, y=y)


@st.composite
def models(draw: st.DrawFn) -> Model:
    if draw(st.integers(0, 4)) == 0:
        return unary_model("HARD_SWISH", draw(shapes()), "float32", HardSwishOptions())
    scale = draw(st.one_of(scales(-6, 3), scales(-2.5, 0)))
    ratio = st.one_of(scales(-2, 6), st.floats(0.1, 3))
    zero = zero_points("int8")
    return int8_model((scale, draw(zero)), (scale * draw(ratio), draw(zero)))


def every_int8(model: Model, seed: int) -> list[np.ndarray] | None:
    return [INT8] if model.inputs[0].shape == (256,) else None


test_equals_tflm = equals_tflm(models(), inputs=every_int8)


@pytest.mark.parametrize(("x", "y"), [(0.0593, 0.0425), (0.0782, 0.0549), (0.046, 0.0369)])
def test_multipliers_are_computed_in_double_precision(oracle, x, y):
    assert agrees(oracle, int8_model((x, 0), (y, 0)), 0, inputs=[INT8]).status == "ok"


def test_int8_is_close_to_the_function():
    real = 0.05 * (INT8.astype(float) - 10)
    exact = real * np.clip(real + 3, 0, 6) / 6 / 0.04 - 20
    got = run(int8_model((0.05, 10), (0.04, -20)), INT8)
    assert np.abs(got - np.clip(exact, -128, 127)).max() < 1


def test_float():
    model = unary_model("HARD_SWISH", (5,), "float32", HardSwishOptions())
    np.testing.assert_allclose(run(model, [-9, -3, 1, 3, 9]), [0, 0, 4 / 6, 3, 9], rtol=1e-6)


def test_an_output_scale_that_is_too_small_is_refused(oracle):
    refused = int8_model((1.0, 0), (1 / 200, 0))
    with pytest.raises(ConstraintError, match="must be under 128 output scales"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"


def test_int16_is_refused(oracle):
    refused = unary_model("HARD_SWISH", (4,), "int16", HardSwishOptions(), x=(1.0, 0), y=(1.0, 0))
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"
