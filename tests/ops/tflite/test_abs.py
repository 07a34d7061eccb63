"""ABS equals TFLM on random shapes, quantisation and types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.differential import agrees, differential, refuses
from tests.ops.unary import INT8, INT16, float_inputs, quantized_models, run, unary_model
from tests.oracle import Oracle


@differential
@given(model=quantized_models("ABS", plain_int16=True), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    kind = model.inputs[0].type.name
    inputs = {"INT8": [INT8], "INT16": [INT16]}.get(kind) or float_inputs(model, seed)
    agrees(oracle, model, seed, inputs=inputs, invokes=3)


def test_floats():
    assert run(unary_model("ABS", (3,), "float32"), [-1.5, 2, -np.inf]).tolist() == [1.5, 2, np.inf]


def test_the_lowest_plain_int16_has_no_magnitude(oracle: Oracle):
    model = unary_model("ABS", (2,), "int16")
    assert run(model, [-32768, -5]).tolist() == [-32768, 5]
    assert agrees(oracle, model, 0, inputs=[np.array([-32768, -5], np.int16)]).status == "ok"


def test_equal_scales_need_no_rescaling_but_a_clamp():
    model = unary_model("ABS", (3,), "int8", x=(0.5, 2), y=(0.5, -3))
    # |-128 - 2| - 3 = 127, |0 - 2| - 3 = -1, |2 - 2| - 3 = -3
    assert run(model, [-128, 0, 2]).tolist() == [127, -1, -3]


def test_scales_are_converted():
    model = unary_model("ABS", (2,), "int16", x=(0.5, 0), y=(0.25, 0))
    assert run(model, [-3, -32768]).tolist() == [6, 32767]


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_without_a_scale_of_the_output_all_is_the_zero_point(oracle: Oracle):
    model = unary_model("ABS", (2,), "int8", x=(0.5, 0), y=(0.0, 7))
    answer = agrees(oracle, model, 0, inputs=[np.array([-4, 9], np.int8)])
    assert answer.outputs[0][0].tolist() == [7, 7]


test_refuses = refuses(
    (unary_model("ABS", (4,), "int8"), "int8 tensors have a scale"),
    (unary_model("ABS", (4,), "int8", x=(1, 0)), "int8 tensors have a scale"),
    (unary_model("ABS", (4,), "int16", x=(1, 0)), "int8 tensors have a scale"),
    (unary_model("ABS", (4,), "int16", x=(1, 1), y=(1, 0)), "int16 has zero points 0"),
    (unary_model("ABS", (4,), "int16", x=(1, 0), y=(1, 1)), "int16 has zero points 0"),
    (unary_model("ABS", (4,), "int8", x=(1e9, 0), y=(1e-9, 0)), "must be under"),
    (unary_model("ABS", (4,), "int32"), "Input 0 is one of: float32, int8, int16"),
)
