"""SignalWindow equals TFLM on random windows."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import Array, equals_tflm, run_arenite
from tests.ops.signal.models import Port, signal_model


def window(shape: tuple[int, ...], weights: Port, shift: int) -> Model:
    """A model that weighs its input."""
    ports = [(shape, "int16")]
    return signal_model("SignalWindow", {"shift": shift}, [*ports, weights], ports)


@st.composite
def models(draw: st.DrawFn) -> Model:
    size = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.integers(-32768, 32768, size).astype(np.int16)
    repeats = draw(st.integers(1, 3))
    shape = (*draw(st.lists(st.integers(1, 3), max_size=2)), repeats * size)
    fed = draw(st.booleans())
    return window(shape, ((size,), "int16") if fed else weights, draw(st.integers(0, 31)))


test_equals_tflm = equals_tflm(models(), invokes=3)


def run(x: list[int], weights: Array, shift: int) -> list[int]:
    model = window((len(x),), weights.astype(np.int16), shift)
    found: list[int] = run_arenite(model, [[np.array(x, np.int16)]])[0][0].tolist()
    return found


def test_products_are_shifted_and_rounded_down() -> None:
    assert run([3, -3, 100, 7], np.array([1, 3]), 1) == [1, -5, 50, 10]


def test_products_saturate() -> None:
    assert run([30000, -30000], np.array([2, 2]), 0) == [32767, -32768]


@pytest.mark.parametrize(("size", "shift"), [(3, 0), (8, 0), (2, 32), (2, -1)])
def test_refuses_what_reads_outside_or_is_not_defined(size: int, shift: int) -> None:
    with pytest.raises(ConstraintError):
        run([1, 2, 3, 4], np.ones(size), shift)
