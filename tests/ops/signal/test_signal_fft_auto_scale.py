"""SignalFftAutoScale equals TFLM on all magnitudes, -32768 among them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.differential import agrees, differential, run_arenite
from tests.ops.signal.models import signal_model
from tests.oracle import Oracle


def auto_scale(size: int) -> Model:
    """A model that scales so many numbers."""
    ports = [((size,), "int16")]
    return signal_model("SignalFftAutoScale", {}, [*ports], [*ports, ((), "int32")])


@st.composite
def models(draw: st.DrawFn) -> Model:
    return auto_scale(draw(st.integers(1, 70)))


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1), bits=st.integers(0, 16))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int, bits: int) -> None:
    rng = np.random.default_rng(seed)
    shape = model.inputs[0].shape
    if bits == 16:  # few numbers of which one has no magnitude
        x = rng.choice(np.array([-32768, -32767, -9, -7, -2, 0, 3, 32767], np.int16), shape)
    else:
        x = rng.integers(-(2**bits) + 1, 2**bits, shape).astype(np.int16)
    agrees(oracle, model, seed, inputs=[x])


def test_scales_to_15_bits() -> None:
    got = run_arenite(auto_scale(3), [[np.array([1, -100, 7], np.int16)]])[0]
    assert (got[0].tolist(), got[1].item()) == ([256, -25600, 1792], 8)


def test_zeros_stay() -> None:
    got = run_arenite(auto_scale(2), [[np.zeros(2, np.int16)]])[0]
    assert (got[0].tolist(), got[1].item()) == ([0, 0], 0)
