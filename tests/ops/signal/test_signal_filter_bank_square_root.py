"""SignalFilterBankSquareRoot equals TFLM on numbers of all sizes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.differential import Array, agrees, differential, run_arenite
from tests.ops.signal.models import signal_model
from tests.oracle import Oracle


def roots(size: int) -> Model:
    """A model that takes so many roots."""
    inputs = [((size,), "uint64"), ((), "int32")]
    return signal_model("SignalFilterBankSquareRoot", {}, [*inputs], [((size,), "uint32")])


def numbers(seed: int, size: int) -> Array:
    """Numbers of every number of bits, and those around squares."""
    rng = np.random.default_rng(seed)
    all_bits = rng.integers(0, 2**64, size, np.uint64) >> rng.integers(0, 64, size, np.uint64)
    root = rng.integers(0, 2**32, size, np.uint64) >> rng.integers(0, 32, size, np.uint64)
    near = root * root + root * rng.integers(0, 2, size, np.uint64)
    near += rng.integers(-2, 3, size).astype(np.uint64)  # may wrap
    return np.where(rng.random(size) < 0.5, all_bits, near)


@st.composite
def models(draw: st.DrawFn) -> Model:
    return roots(draw(st.integers(1, 70)))


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1), shift=st.integers(0, 31))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int, shift: int) -> None:
    inputs = [numbers(seed, model.inputs[0].size), np.array(shift, np.int32)]
    agrees(oracle, model, seed, inputs=inputs)


def test_equals_tflm_on_many(oracle: Oracle) -> None:
    agrees(oracle, roots(10**5), 0, inputs=[numbers(7, 10**5), np.array(0, np.int32)])


def root(x: list[int], shift: int = 0) -> list[int]:
    values = [np.array(x, np.uint64), np.array(shift, np.int32)]
    found: list[int] = run_arenite(roots(len(x)), [values])[0][0].tolist()
    return found


def test_rounds_to_the_nearest() -> None:
    assert root([0, 1, 2, 3, 6, 7, 100, 2**62]) == [0, 1, 1, 2, 2, 3, 10, 2**31]


def test_the_largest_numbers_of_either_width_do_not_round_up() -> None:
    assert root([2**32 - 1, 2**32, 2**64 - 1]) == [2**16 - 1, 2**16, 2**32 - 1]


def test_shifts_the_root() -> None:
    assert root([10000], 3) == [12]


def test_shifts_take_five_bits_as_x86_does() -> None:
    assert root([10000], 35) == root([10000], 3) == root([10000], -29)
