"""ELU equals TFLM on random scales, zero points and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import INT8, run, scales, shapes, unary_model, zero_points
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    if draw(st.booleans()):
        return unary_model("ELU", draw(shapes()), "float32")
    scale = draw(scales(-8, 1))
    out_scale = draw(st.one_of(scales(-8, 1), st.floats(0.3, 3).map(lambda f: f * scale)))
    x, y = (scale, draw(zero_points("int8"))), (out_scale, draw(zero_points("int8")))
    return unary_model("ELU", (256,), "int8", x=x, y=y)


def every_int8(model: Model, seed: int) -> list[np.ndarray] | None:
    return [INT8] if model.inputs[0].type.name == "INT8" else None


test_equals_tflm = equals_tflm(models(), inputs=every_int8)


@pytest.mark.parametrize("scale", [3e-8, 4e-7, 9.5e-7, 1.8e-6])
def test_the_last_bit_of_exponentials_next_to_one(oracle: Oracle, scale: float) -> None:
    model = unary_model("ELU", (256,), "int8", x=(scale, 0), y=(scale / 5, 7))
    assert agrees(oracle, model, 0, inputs=[INT8]).status == "ok"


def test_negative_values_go_to_minus_one():
    result = run(unary_model("ELU", (3,), "float32"), [-100, -1, 2])
    np.testing.assert_allclose(result, [-1, np.exp(-1) - 1, 2], rtol=1e-6)


def test_int8_rounds_to_the_nearest_step():
    # exp(-1) - 1 = -0.632 is -6.3 steps.
    model = unary_model("ELU", (2,), "int8", x=(0.5, 0), y=(0.1, 0))
    assert run(model, [-2, 2]).tolist() == [-6, 10]


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_an_output_without_a_scale_is_the_lowest_value():
    assert run(unary_model("ELU", (2,), "int8", x=(0.5, 0)), [0, 3]).tolist() == [-128, -128]


def test_int16_is_refused():
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8"):
        run(unary_model("ELU", (4,), "int16", x=(0.5, 0), y=(0.5, 0)), 0)
