"""SOFTMAX equals TFLM on all its type pairs, and sums to one."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm, one_operator

OUTPUT = {
    ("int8", "int8"): (1 / 256, -128),
    ("int8", "int16"): (1 / 65536, -32768),
    ("int16", "int16"): (1 / 32768, 0),
}


def model(
    shape: tuple[int, ...],
    types: tuple[str, str] = ("int8", "int8"),
    *,
    scale: float = 0.1,
    zero_point: int = 0,
    beta: float = 1.0,
    output: tuple[float, int] | None = None,
) -> Model:
    b = ModelBuilder()
    if types[0] == "float32":
        x, y = b.input("x", shape, "float32"), b.tensor("y", shape, "float32")
    else:
        out_scale, out_zero = output or OUTPUT[types]
        x = b.input("x", shape, types[0], scale=scale, zero_point=zero_point)
        y = b.tensor("y", shape, types[1], scale=out_scale, zero_point=out_zero)
    return one_operator(b, "SOFTMAX", [x], [y], SoftmaxOptions(beta=beta))


def run(model: Model, x: np.ndarray) -> np.ndarray:
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    interpreter.input()[...] = x
    interpreter.invoke()
    return interpreter.output()


@st.composite
def models(draw: st.DrawFn) -> Model:
    types = draw(st.sampled_from([*OUTPUT, ("int8", "int8"), ("float32", "float32")]))
    outer = draw(st.lists(st.integers(1, 4), max_size=3))
    return model(
        (*outer, draw(st.one_of(st.integers(1, 20), st.integers(1, 400)))),
        types,
        scale=10 ** draw(st.floats(-6, 3)),
        zero_point=draw(st.integers(-128, 127)) if types[0] == "int8" else 0,
        beta=draw(st.sampled_from([1.0, 0.1, 3.7])),
    )


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize("types", OUTPUT)
def test_a_row_of_equal_values_is_shared_equally(types):
    steps = {"int8": 256, "int16": 65536 if types[0] == "int8" else 32768}[types[1]]
    got = run(model((1, 4), types), np.full((1, 4), 7)) - OUTPUT[types][1]
    np.testing.assert_allclose(got, steps / 4, atol=1)


def test_rows_are_independent_and_the_largest_value_saturates():
    got = run(model((2, 2), scale=1.0), np.array([[127, -128], [-128, 127]], np.int8))
    np.testing.assert_array_equal(got, [[127, -128], [-128, 127]])


def test_float_subtracts_the_maximum_first():
    got = run(model((3,), ("float32", "float32")), np.array([1e30, 1e30, -1e30]))
    np.testing.assert_array_equal(got, [0.5, 0.5, 0.0])


@pytest.mark.parametrize(
    ("types", "output"),
    [
        (("int8", "int8"), (1 / 128, -128)),
        (("int8", "int8"), (1 / 256, -127)),
        (("int8", "int16"), (1 / 32768, -32768)),
        (("int16", "int16"), (1 / 65536, 0)),
    ],
)
def test_another_output_quantisation_is_refused(oracle, types, output):
    refused = model((1, 4), types, output=output)
    with pytest.raises(ConstraintError, match=r"has the range \[0, 1\]"):
        run(refused, np.zeros((1, 4)))
    assert agrees(oracle, refused, 0).status == "refused"


def test_a_tiny_product_of_beta_and_scale_is_refused(oracle):
    refused = model((1, 4), scale=1e-9)
    with pytest.raises(ConstraintError, match=r"must be greater than 1, got 0\.067"):
        run(refused, np.zeros((1, 4)))
    assert agrees(oracle, refused, 0).status != "ok"


def test_a_row_whose_sum_does_not_fit_is_refused(oracle):
    refused = model((1, 512), scale=1.0)
    with pytest.raises(ConstraintError, match="row of 512 values is out of range for int8"):
        run(refused, np.zeros((1, 512)))
    assert agrees(oracle, refused, 0, inputs=[np.zeros((1, 512), np.int8)]).status == "crashed"


def test_an_empty_row_is_refused_where_tflm_ends_the_program(oracle):
    refused = model((0,), ("int8", "int16"))
    with pytest.raises(ConstraintError, match="row of 0 values"):
        run(refused, np.zeros(0))
    assert agrees(oracle, refused, 0).status == "crashed"


def test_no_rows_at_all_are_nothing_to_do():
    assert run(model((0, 3)), np.zeros((0, 3))).shape == (0, 3)


def test_int16_from_int8_wraps_where_the_sum_of_exponentials_does(oracle):
    long_row = model((1, 5000), ("int8", "int16"))
    answer = agrees(oracle, long_row, 0, inputs=[np.zeros((1, 5000), np.int8)])
    assert answer.status == "ok"


def test_a_scalar_is_refused():
    with pytest.raises(ConstraintError, match="at least one dimension"):
        run(model(()), np.zeros(()))
