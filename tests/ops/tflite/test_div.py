"""DIV equals TFLM on random shapes, types, quantisation and activations."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.tflite.div import DivOptions
from tests.ops.binary import binary_model, broadcast_shapes, run, scale_triples, zero_point_triples
from tests.ops.differential import agrees, equals_tflm, random_array


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "float32", "int32"]))
    return binary_model(
        "DIV",
        draw(broadcast_shapes()),
        kind,
        DivOptions(draw(st.integers(0, 3))),
        scales=draw(scale_triples(lambda a, b: a / b / 60)) if kind == "int8" else None,
        zero_points=draw(zero_point_triples(kind)),
    )


def inputs_without_zero_divisors(model: Model, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    a, b = (random_array(tensor, rng) for tensor in model.inputs)
    quantization = model.inputs[1].quantization
    zero = int(quantization.zero_point[0]) if quantization else 0
    return [a, np.where(b == zero, zero - 1 if zero > -128 else zero + 1, b).astype(b.dtype)]


test_equals_tflm = equals_tflm(models(), inputs=inputs_without_zero_divisors)


ALL = np.arange(-128, 128, dtype=np.int8)


@pytest.mark.parametrize(
    "scales", [(1, 1, 1), (1, 1, 0.01), (0.5, 0.3, 0.02), (1e-3, 1, 1), (1, 1e-3, 1e-4)]
)
def test_equals_tflm_on_every_pair_of_int8(oracle, scales):
    model = binary_model("DIV", ((256, 1), (255,)), "int8", scales=scales)
    answer = agrees(oracle, model, 0, inputs=[ALL[:, None], ALL[ALL != 0]])
    assert answer.status == "ok"


def test_int8_divides_real_values():
    model = binary_model(
        "DIV", ((3,), (3,)), "int8", scales=(0.5, 0.25, 0.125), zero_points=(1, 0, -1)
    )
    # 0.5 * (9 - 1) / (0.25 * 4) = 4 = 0.125 * (31 - -1)
    np.testing.assert_array_equal(run(model, [9, 127, -128], [4, 1, 1]), [31, 127, -128])


def test_int32_rounds_towards_zero():
    got = run(binary_model("DIV", ((4,), (4,)), "int32"), [7, -7, 7, -7], [2, 2, -2, -2])
    np.testing.assert_array_equal(got, [3, -3, -3, 3])


@pytest.mark.parametrize("kind", ["int8", "int32"])
def test_integer_division_by_zero_is_refused(kind):
    scales = (1.0, 1.0, 1.0) if kind == "int8" else None
    zero = 5 if kind == "int8" else 0
    model = binary_model("DIV", ((2,), (2,)), kind, scales=scales, zero_points=(0, zero, 0))
    with pytest.raises(ConstraintError, match="no zero to divide by"):
        run(model, [1, 2], [1, zero])


def test_the_int32_quotient_that_does_not_fit_is_refused(oracle):
    model = binary_model("DIV", ((1,), (1,)), "int32")
    inputs = [np.array([-(2**31)], np.int32), np.array([-1], np.int32)]
    with pytest.raises(ConstraintError, match="does not fit in int32"):
        run(model, *inputs)
    assert agrees(oracle, model, 0, inputs=inputs).status == "crashed"


def test_float_division_by_zero_is_the_largest_float():
    got = run(binary_model("DIV", ((2,), ()), "float32"), [1, -1], 0)
    np.testing.assert_array_equal(got, np.array([3.4028235e38, -3.4028235e38], np.float32))
