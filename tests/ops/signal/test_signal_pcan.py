"""SignalPCAN equals TFLM on random tables and numbers of all sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import Array, agrees, differential, run_arenite
from tests.ops.signal.models import signal_model
from tests.oracle import Oracle


def pcan(shift: int, size: int, table: Array, extra: int = 0) -> Model:
    """A model of so many channels."""
    inputs = [((size,), "uint32"), ((size + extra,), "uint32"), table.astype(np.int16)]
    return signal_model("SignalPCAN", {"snr_shift": shift}, [*inputs], [((size,), "uint32")])


def numbers(rng: np.random.Generator, size: int) -> Array:
    """Numbers of every number of bits."""
    return (rng.integers(0, 2**32, size) >> rng.integers(0, 32, size)).astype(np.uint32)


@st.composite
def models(draw: st.DrawFn) -> Model:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low = draw(st.sampled_from([0, -32768]))
    table = rng.integers(low, 32768, draw(st.integers(125, 130)))
    shift = draw(st.integers(0, 16) | st.integers(0, 63))
    return pcan(shift, draw(st.integers(1, 50)), table, draw(st.integers(0, 2)))


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    agrees(oracle, model, seed, inputs=[numbers(rng, tensor.size) for tensor in model.inputs])


def run(signal: int, noise: int, table: Array, shift: int = 0) -> int:
    step = [np.array([value], np.uint32) for value in (signal, noise)]
    return int(run_arenite(pcan(shift, 1, table), [step])[0][0].item())


def test_small_noise_has_gains_of_its_own() -> None:
    # 2.5 with 12 bits behind the point becomes 1.5 with 6
    assert run(5 << 9, 2, np.array([1, 2, 4])) == 96


def test_a_signal_below_the_noise_is_squared() -> None:
    assert run(1 << 12, 0, np.array([1, 0, 0])) == 16


def test_a_table_may_end_before_large_noise() -> None:
    table = np.eye(1, 9, 6)[0]
    assert run(1 << 13, 7, table) == 64
    with pytest.raises(ConstraintError, match="expected a table of more than 12 gains, got 9"):
        run(1 << 13, 8, table)


def test_refuses_shifts_that_are_not_defined() -> None:
    with pytest.raises(ConstraintError, match="expected snr_shift from 0 to 63"):
        run(1, 1, np.ones(125), 64)
