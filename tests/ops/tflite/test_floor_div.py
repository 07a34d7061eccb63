"""FLOOR_DIV equals TFLM on random shapes and floats."""

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.binary import binary_model, binary_models, run
from tests.ops.differential import agrees, equals_tflm
from tests.oracle import Oracle


def operands(model: Model, seed: int) -> list[np.ndarray]:
    """Dividends with infinities and NaN, divisors of all sizes but 0; often whole numbers."""
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(0, 1, x.shape) * 10 ** rng.uniform(-3, 6) for x in model.inputs)
    if rng.random() < 0.5:
        a, b = np.round(a), np.round(b)
    a = np.where(rng.random(a.shape) < 0.1, rng.choice([np.inf, -np.inf, np.nan], a.shape), a)
    return [a.astype(np.float32), np.where(b == 0, 3, b).astype(np.float32)]


test_equals_tflm = equals_tflm(binary_models("FLOOR_DIV", "float32"), inputs=operands, invokes=3)


def test_quotients_are_rounded_down() -> None:
    model = binary_model("FLOOR_DIV", ((4,), (4,)), "float32")
    np.testing.assert_array_equal(run(model, [7, -7, 7, -6], [2, 2, -2, 2]), [3, -4, -4, -3])


def test_a_quotient_beyond_float32_is_infinite() -> None:
    model = binary_model("FLOOR_DIV", ((1,), (1,)), "float32")
    assert run(model, [3e38], [1e-38]).tolist() == [np.inf]


def test_a_divisor_of_0_is_refused(oracle: Oracle) -> None:
    model = binary_model("FLOOR_DIV", ((2,), (2,)), "float32")
    inputs = [np.ones(2, np.float32), np.array([1, -0.0], np.float32)]
    with pytest.raises(ConstraintError, match="input 1 must have no zero to divide by"):
        run(model, *inputs)
    assert agrees(oracle, model, 0, inputs=inputs).status == "refused"


@pytest.mark.parametrize("kind", ["int32", "int8", "int16"])
def test_integers_are_refused(oracle: Oracle, kind: str) -> None:
    refused = binary_model("FLOOR_DIV", ((2,), (2,)), kind)
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(refused, [1, 2], [0, 0])
    assert agrees(oracle, refused, 0).status == "refused"
