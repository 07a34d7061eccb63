"""SignalFilterBankSpectralSubtraction equals TFLM over inferences and resets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import agrees, differential, run_arenite
from tests.ops.signal.models import signal_model
from tests.oracle import Oracle
from tests.steps import RESET


def subtraction(channels: int = 1, extra: int = 0, **changed: int) -> Model:
    """A model of so many channels; without changes half of the noise is new."""
    options = {
        "alternate_one_minus_smoothing": 8,
        "alternate_smoothing": 8,
        "clamping": False,
        "min_signal_remaining": 0,
        "num_channels": channels,
        "one_minus_smoothing": 8,
        "smoothing": 8,
        "smoothing_bits": 0,
        "spectral_subtraction_bits": 4,
    }
    ports = [((channels + extra,), "uint32")]
    out = ((channels,), "uint32")
    name = "SignalFilterBankSpectralSubtraction"
    return signal_model(name, options | changed, [*ports], [out, out])


@st.composite
def models(draw: st.DrawFn) -> Model:
    factor = st.integers(0, 2**14) | st.integers(-(2**31), 2**31 - 1)
    names = ("smoothing", "one_minus_smoothing", "min_signal_remaining")
    alternate = ("alternate_smoothing", "alternate_one_minus_smoothing")
    return subtraction(
        draw(st.integers(1, 50)),
        draw(st.integers(0, 2)),
        clamping=draw(st.booleans()),
        smoothing_bits=draw(st.integers(0, 31)),
        spectral_subtraction_bits=draw(st.just(14) | st.integers(0, 63)),
        **{name: draw(factor) for name in names + alternate},
    )


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1), bits=st.integers(1, 32))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int, bits: int) -> None:
    x = np.random.default_rng(seed).integers(0, 2**bits, model.inputs[0].shape)
    agrees(oracle, model, seed, inputs=[x.astype(np.uint32)], invokes=4, reset=True)


def step(x: int) -> list[np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    return [np.array([x], np.uint32)]


def test_the_estimate_follows_and_reset_forgets_it() -> None:
    got = run_arenite(subtraction(), [step(80), step(80), step(10), RESET, step(80)])
    pairs = [(signal.item(), noise.item()) for signal, noise in got]
    assert pairs == [(40, 40), (20, 60), (0, 35), (40, 40)]


def test_clamping_lowers_the_estimate_to_the_signal() -> None:
    got = run_arenite(subtraction(clamping=True), [step(80), step(10)])
    assert got[1][1].item() == 10


def test_a_part_of_the_signal_remains() -> None:
    got = run_arenite(subtraction(min_signal_remaining=12), [step(80), step(80)])
    assert got[1][0].item() == 60


@pytest.mark.parametrize(
    "wrong", [{"smoothing_bits": 32}, {"spectral_subtraction_bits": 64}, {"num_channels": 0}]
)
def test_refuses_what_c_does_not_define(wrong: dict[str, int]) -> None:
    with pytest.raises(ConstraintError, match=f"expected {next(iter(wrong))} from"):
        run_arenite(subtraction(2, **wrong), [])
