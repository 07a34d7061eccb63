"""SignalRfft equals TFLM in three types, in lengths with every radix."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model, TensorType
from tests.ops.differential import Array, agrees, equals_tflm, run_arenite
from tests.ops.signal.models import KINDS, LENGTHS, signal_model
from tests.oracle import Oracle


def rfft(
    kind: str, length: int, outer: tuple[int, ...] = (), size: int = 0, more: int = 0
) -> Model:
    """A model that transforms rows."""
    options = {"T": int(TensorType.of(kind)), "fft_length": length}
    outputs = [((*outer, length + 2 + more), kind)]
    return signal_model("SignalRfft", options, [((*outer, size or length), kind)], outputs)


@st.composite
def models(draw: st.DrawFn) -> Model:
    length = draw(st.sampled_from(LENGTHS))
    outer = draw(st.lists(st.integers(1, 3), max_size=2))
    size = draw(st.just(length) | st.integers(1, length))
    return rfft(draw(st.sampled_from(KINDS)), length, tuple(outer), size)


test_equals_tflm = equals_tflm(models(), invokes=2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [*LENGTHS, 1024, 4096])
def test_equals_tflm_in_every_length(oracle: Oracle, kind: str, length: int) -> None:
    assert agrees(oracle, rfft(kind, length), length).status == "ok"


@pytest.mark.parametrize("kind", ["int16", "int32"])
def test_equals_tflm_on_extremes(oracle: Oracle, kind: str) -> None:
    info = np.iinfo(kind)
    x = np.random.default_rng(1).choice(np.array([info.min, info.max], kind), 240)
    agrees(oracle, rfft(kind, 240), 0, inputs=[x])
    agrees(oracle, rfft(kind, 240), 0, inputs=[np.full(240, info.min, kind)])


def spectrum(model: Model, x: Array) -> Array:
    pairs = run_arenite(model, [[x]])[0][0].astype(np.float64)
    transformed: Array = pairs[..., ::2] + 1j * pairs[..., 1::2]
    return transformed


@pytest.mark.parametrize("length", [4, 20, 96, 256, 512])
def test_floats_equal_numpy(length: int) -> None:
    x = np.random.default_rng(length).normal(size=length).astype(np.float32)
    np.testing.assert_allclose(
        spectrum(rfft("float32", length), x), np.fft.rfft(x), atol=1e-5 * length
    )


@pytest.mark.parametrize(("kind", "tolerance"), [("int16", 4.0), ("int32", 32.0)])
@pytest.mark.parametrize("length", [4, 20, 96, 256, 512])
def test_integers_are_near_numpy_over_the_length(kind: str, tolerance: float, length: int) -> None:
    limit = np.iinfo(kind).max
    x = np.random.default_rng(length).integers(-limit, limit, length).astype(kind)
    expected = np.fft.rfft(x.astype(np.float64)) / length
    np.testing.assert_allclose(spectrum(rfft(kind, length), x), expected, atol=tolerance)


def test_a_short_row_is_filled_up_with_zeros() -> None:
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_allclose(
        spectrum(rfft("float32", 16, size=5), x), np.fft.rfft(x, 16), atol=1e-5
    )


def test_wider_outputs_hold_zeros_behind() -> None:
    with pytest.warns(UndefinedWarning, match="rows are not written, and 0 here, from 6 on"):
        got = run_arenite(rfft("int16", 4, more=2), [[np.full(4, 1000, np.int16)]])
    assert got[0][0].tolist() == [1000, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("length", [-4, 0, 2, 3, 7, 14, 22, 26, 2**31 - 2])
def test_refuses_lengths_that_crash_tflm(length: int) -> None:
    options = {"T": 7, "fft_length": length}
    model = signal_model("SignalRfft", options, [((4,), "int16")], [((1024,), "int16")])
    with pytest.raises(ConstraintError, match="expected fft_length"):
        run_arenite(model, [])


@pytest.mark.parametrize(("size", "more"), [(17, 0), (16, -2), (16, 1)])
def test_refuses_rows_that_do_not_fit(size: int, more: int) -> None:
    with pytest.raises(ConstraintError, match="rows of"):
        run_arenite(rfft("int16", 16, (2,), size, more), [])
