"""L2_NORMALIZATION equals TFLM on random shapes, zero points and types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError, ShapeError
from arenite.model import Model
from arenite.ops import AllOpsResolver
from arenite.ops.tflite.l2_normalization import L2NormOptions
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import agrees, differential
from tests.ops.unary import (
    Affine,
    float_inputs,
    is_refused,
    reshaped,
    run,
    scales,
    unary_model,
    zero_points,
)
from tests.oracle import Oracle


def normalization(
    kind: str, shape: tuple[int, ...], x: Affine | None = None, activation: int = 0
) -> Model:
    y = None if x is None else (1 / 128, 0)
    return unary_model("L2_NORMALIZATION", shape, kind, L2NormOptions(activation), x=x, y=y)


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["float32", "int8", "int8"]))
    longer = st.sampled_from([(3, 200), (70, 1), (1, 1, 2, 333)])
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple) | longer)
    affine = draw(st.none() | st.tuples(scales(), zero_points("int8")))
    return normalization(kind, shape, affine if kind == "int8" else None)


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    floats = model.inputs[0].type.name == "FLOAT32" and seed % 2
    inputs = float_inputs(model, seed, -8, 8) if floats else None
    agrees(oracle, model, seed, inputs=inputs, invokes=3)


@pytest.mark.parametrize("zero", [-128, 0, 127])
def test_equals_tflm_on_every_pair_of_numbers(oracle: Oracle, zero: int) -> None:
    x = np.stack(np.meshgrid(np.arange(-128, 128), np.arange(-128, 128)), -1).astype(np.int8)
    answer = agrees(oracle, normalization("int8", x.shape, (0.1, zero)), 0, inputs=[x])
    assert answer.status == "ok"


def test_floats():
    np.testing.assert_allclose(run(normalization("float32", (1, 2)), [[3, 4]]), [[0.6, 0.8]], 1e-6)


def test_the_least_norm_is_a_millionth():
    result = run(normalization("float32", (2, 1)), [[1e-7], [0]])
    np.testing.assert_allclose(result, [[0.1], [0]], rtol=1e-6)


def test_int8_results_are_steps_of_1_128():
    # (3, 4) / 5 = (0.6, 0.8), which are 76.8 and 102.4 steps.
    result = run(normalization("int8", (1, 2), (0.5, 10)), [[13, 14]])
    assert result.tolist() == [[77, 102]]


def test_sums_of_squares_wrap_as_tflm_does(oracle: Oracle):
    model = normalization("int8", (1, 40000), (0.5, -128))
    answer = agrees(oracle, model, 0, inputs=[np.full((1, 40000), 127, np.int8)])
    assert answer.outputs[0][0].min() == 127


def test_an_output_of_other_dimensions_is_refused_in_the_arena():
    micro = MicroInterpreter(
        reshaped("L2_NORMALIZATION", (2, 3), (3, 2)), AllOpsResolver(), bytearray(1 << 14)
    )
    with pytest.raises(ShapeError, match="expected an output of shape"):
        micro.allocate_tensors()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (normalization("float32", (1, 1, 1, 2, 3)), "Input 0 has 1 or 2 or 3 or 4 dimensions"),
        (normalization("float32", (2,), activation=1), "no fused activation"),
        (normalization("int16", (2,)), "Input 0 is one of: float32, int8"),
    ],
)
def test_refuses(oracle: Oracle, model: Model, message: str):
    with pytest.raises(ConstraintError, match=message):
        run(model, 0)
    assert is_refused(oracle, model)


def test_a_scalar_is_refused():
    with pytest.raises(ConstraintError, match="Input 0 has 1 or 2 or 3 or 4 dimensions"):
        run(normalization("float32", ()), 0)
