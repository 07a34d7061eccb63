"""SignalDelay equals TFLM on random shapes and delays, over inferences and resets."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import equals_tflm, run_arenite
from tests.ops.signal.models import signal_model
from tests.steps import RESET


def delay(length: int, shape: tuple[int, ...]) -> Model:
    """A model that delays its input."""
    ports = [(shape, "int16")]
    return signal_model("SignalDelay", {"delay_length": length}, [*ports], ports)


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    return delay(draw(st.integers(0, 40)), tuple(shape))


test_equals_tflm = equals_tflm(models(), invokes=4, reset=True)


def test_samples_come_out_later_and_reset_forgets_them() -> None:
    one = [np.array([1, 2, 3], np.int16)]
    two = [np.array([4, 5, 6], np.int16)]
    got = run_arenite(delay(2, (3,)), [one, two, RESET, two])
    assert [out[0].tolist() for out in got] == [[0, 0, 1], [2, 3, 4], [0, 0, 4]]


def test_rows_have_lines_of_their_own() -> None:
    got = run_arenite(delay(1, (2, 2)), [[np.array([[1, 2], [3, 4]], np.int16)]] * 2)
    assert got[1][0].tolist() == [[2, 1], [4, 3]]


@pytest.mark.parametrize(("length", "shape"), [(-1, (3,)), (1, (0,)), (1, ())])
def test_refuses_what_crashes_tflm(length: int, shape: tuple[int, ...]) -> None:
    with pytest.raises(ConstraintError):
        run_arenite(delay(length, shape), [])
