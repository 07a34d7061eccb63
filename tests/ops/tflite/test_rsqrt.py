"""RSQRT equals TFLM on random shapes, quantisation and types."""

import math

import numpy as np
import pytest

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model
from tests.ops.differential import agrees, equals_tflm, refuses
from tests.ops.unary import INT8, INT16, float_inputs, quantized_models, run, unary_model
from tests.oracle import Oracle

Array = np.ndarray


def inputs_of(model: Model, seed: int) -> list[Array]:
    """All legal values; in one of eight cases one that is none."""
    tensor = model.inputs[0]
    if tensor.type.name == "FLOAT32":
        return float_inputs(model, seed)
    x = INT8 if tensor.type.name == "INT8" else INT16
    zero = tensor.quantization.zero_point[0] if tensor.quantization is not None else 0
    if tensor.type.name == "INT16":
        zero = 0
    legal = np.maximum(x, zero).astype(x.dtype)
    if seed % 8 == 0 and zero > -128:
        legal[3] = zero - 1
    return [legal]


def is_defined(model: Model) -> bool:
    """Whether no shift is by more than 31 bits."""
    x, y = (tensor.quantization for tensor in model.main.tensors)
    return x is None or y is None or math.sqrt(x.scale[0]) * y.scale[0] < 2000


test_equals_tflm = equals_tflm(
    quantized_models("RSQRT", plain_int16=False).filter(is_defined), inputs=inputs_of, invokes=3
)


def test_floats():
    result = run(unary_model("RSQRT", (4,), "float32"), [4, 0, -1, np.inf])
    np.testing.assert_array_equal(result, [0.5, np.inf, np.nan, 0])


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_integers(kind: str):
    # 1 / sqrt(16 * 0.25) = 0.5, which are 50 steps of 0.01; 0 gives the largest.
    model = unary_model("RSQRT", (3,), kind, x=(0.25, 0), y=(0.01, 0))
    assert run(model, [16, 64, 0]).tolist() == [50, 25, np.iinfo(kind).max]


def test_zero_points():
    model = unary_model("RSQRT", (2,), "int8", x=(0.25, -10), y=(0.01, 3))
    assert run(model, [6, -10]).tolist() == [53, 127]


def test_plain_int16_has_parameters_of_zero():
    with pytest.warns(UndefinedWarning, match="never sets the parameters"):
        result = run(unary_model("RSQRT", (3,), "int16"), [0, 1, 9])
    assert result.tolist() == [32767, 0, 0]


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_shifts_of_more_than_31_bits_are_those_of_x86(oracle: Oracle):
    model = unary_model("RSQRT", (2,), "int8", x=(0.5, -128), y=(2.0**27, 0))
    answer = agrees(oracle, model, 0, inputs=[np.array([1, 127], np.int8)])
    assert answer.outputs[0][0].tolist() == [4, 3]


def test_values_under_the_zero_point_are_refused(oracle: Oracle):
    model = unary_model("RSQRT", (2,), "int8", x=(0.25, 4), y=(0.01, 3))
    with pytest.raises(ConstraintError, match="expected inputs of at least 4, got 3"):
        run(model, [5, 3])
    assert agrees(oracle, model, 0, inputs=[np.array([5, 3], np.int8)]).status == "refused"


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_less_than_0_without_a_quantisation_is_refused_with_the_reason():
    # TFLM compares with a zero point that it never sets: 0 in an arena of zeros, which refuses.
    with pytest.raises(ConstraintError, match="at least 0, got -3: TFLM never sets the zero point"):
        run(unary_model("RSQRT", (2,), "int16"), [5, -3])


test_refuses = refuses(
    (unary_model("RSQRT", (4,), "int8"), "int8 tensors have a scale"),
    (unary_model("RSQRT", (4,), "int16", x=(1, 0)), "int8 tensors have a scale"),
    (unary_model("RSQRT", (4,), "int16", x=(1, 1), y=(1, 0)), "int16 has zero points 0"),
    (unary_model("RSQRT", (4,), "int8", x=(1e-30, 0), y=(1e-9, 0)), "must be under"),
    (unary_model("RSQRT", (4,), "int32"), "Input 0 is one of: float32, int8, int16"),
)
