"""SignalIrfft equals TFLM in three types, in lengths with every radix."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model, TensorType
from tests.ops.differential import Array, agrees, equals_tflm, run_arenite
from tests.ops.signal.models import KINDS, LENGTHS, signal_model
from tests.oracle import Oracle


def irfft(
    kind: str, length: int, outer: tuple[int, ...] = (), size: int = 0, more: int = 0
) -> Model:
    """A model that transforms rows back."""
    options = {"T": int(TensorType.of(kind)), "fft_length": length}
    outputs = [((*outer, length + more), kind)]
    return signal_model("SignalIrfft", options, [((*outer, size or length + 2), kind)], outputs)


@st.composite
def models(draw: st.DrawFn) -> Model:
    length = draw(st.sampled_from(LENGTHS))
    outer = draw(st.lists(st.integers(1, 3), max_size=2))
    size = length + 2 + 2 * draw(st.integers(0, 3))
    return irfft(draw(st.sampled_from(KINDS)), length, tuple(outer), size)


test_equals_tflm = equals_tflm(models(), invokes=2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [*LENGTHS, 1024, 4096])
def test_equals_tflm_in_every_length(oracle: Oracle, kind: str, length: int) -> None:
    assert agrees(oracle, irfft(kind, length), length).status == "ok"


def run(kind: str, spectrum: Array) -> Array:
    length = 2 * len(spectrum) - 2
    pairs = np.stack([spectrum.real, spectrum.imag], axis=-1).reshape(-1)
    if kind != "float32":
        pairs = np.rint(pairs)
    return run_arenite(irfft(kind, length), [[pairs.astype(kind)]])[0][0]


@pytest.mark.parametrize("length", [4, 20, 96, 256, 512])
def test_floats_equal_numpy(length: int) -> None:
    spectrum = np.fft.rfft(np.random.default_rng(length).normal(size=length))
    np.testing.assert_allclose(run("float32", spectrum), np.fft.irfft(spectrum), atol=1e-5)


@pytest.mark.parametrize(("kind", "tolerance"), [("int16", 4.0), ("int32", 32.0)])
@pytest.mark.parametrize("length", [4, 20, 96, 256, 512])
def test_integers_are_near_numpy(kind: str, tolerance: float, length: int) -> None:
    x = np.random.default_rng(length).integers(-99, 99, length)
    spectrum = np.fft.rfft(x * np.iinfo(kind).max / 200 / length)
    np.testing.assert_allclose(run(kind, spectrum), np.fft.irfft(spectrum), atol=tolerance)


def test_wider_outputs_hold_zeros_behind() -> None:
    with pytest.warns(UndefinedWarning, match="rows are not written, and 0 here, from 4 on"):
        got = run_arenite(irfft("float32", 4, more=2), [[np.eye(1, 6, dtype=np.float32)[0]]])
    assert got[0][0].tolist() == [0.25, 0.25, 0.25, 0.25, 0, 0]


@pytest.mark.parametrize(("size", "more"), [(16, 0), (19, 0), (18, -1)])
def test_refuses_rows_that_do_not_fit(size: int, more: int) -> None:
    with pytest.raises(ConstraintError, match="rows of"):
        run_arenite(irfft("int16", 16, (2,), size, more), [])
