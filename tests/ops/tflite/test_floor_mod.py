"""FLOOR_MOD equals TFLM on random shapes and floats."""

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.binary import binary_model, binary_models, run
from tests.ops.differential import agrees, equals_tflm
from tests.oracle import Oracle

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from arenite.runtime.heap_host import HeapInterpreter


def operands(model: Model, seed: int) -> list[np.ndarray]:
    """Numbers near each other or far apart, whole ones, zeros, infinities and NaN."""
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(0, 1, x.shape) * 10 ** rng.uniform(-3, 6) for x in model.inputs)
    if rng.random() < 0.5:
        a, b = np.round(a), np.round(b)
    special = [np.inf, -np.inf, np.nan, 0.0, -0.0]
    odd = [np.where(rng.random(x.shape) < 0.05, rng.choice(special, x.shape), x) for x in (a, b)]
    return [x.astype(np.float32) for x in odd]


test_equals_tflm = equals_tflm(binary_models("FLOOR_MOD", "float32"), inputs=operands, invokes=3)


def test_remainders_have_the_sign_of_the_divisor() -> None:
    model = binary_model("FLOOR_MOD", ((4,), (4,)), "float32")
    np.testing.assert_array_equal(run(model, [7, -7, 7, -7], [3, 3, -3, -3]), [1, 2, -2, -1])


def test_of_a_division_by_0_it_is_nan() -> None:
    assert np.isnan(run(binary_model("FLOOR_MOD", ((1,), (1,)), "float32"), [1], [0])).all()


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("spread", [1.0, 1e3, 1e8, 1e9, 1e30])
def test_native_remainders_are_exact_for_quotients_of_every_size(isa: str, spread: float) -> None:
    rng = np.random.default_rng(1)
    b = rng.uniform(0.5, 2, 20000).astype(np.float32)
    a = (b * np.round(rng.uniform(-1, 1, 20000) * spread)).astype(np.float32)
    a = np.nextafter(a, rng.choice(np.array([-1e38, 0, 1e38], np.float32), 20000))
    interpreter = HeapInterpreter(binary_model("FLOOR_MOD", (a.shape, b.shape), "float32"))
    interpreter.allocate_tensors()
    interpreter.input(0)[...], interpreter.input(1)[...] = a, b
    interpreter.compile(isa).invoke()
    expected = np.mod(a.astype(np.float64), b)  # exact, and then rounded as the float sum is
    np.testing.assert_array_equal(interpreter.output(0), expected.astype(np.float32))


@pytest.mark.parametrize("kind", ["int32", "int8", "int16"])
def test_integers_are_refused(oracle: Oracle, kind: str) -> None:
    refused = binary_model("FLOOR_MOD", ((2,), (2,)), kind)
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(refused, [1, 2], [0, 0])
    assert agrees(oracle, refused, 0).status == "refused"
