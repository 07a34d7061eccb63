"""SignalFramer equals TFLM over inferences and resets, where TFLM writes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model
from tests.ops.differential import Array, agrees, differential, run_arenite
from tests.ops.signal.models import options_of, signal_model
from tests.oracle import Oracle
from tests.steps import RESET


def framer(
    size: int, step: int, outer: tuple[int, ...] = (), frames: int = 1, *, prefill: bool = False
) -> Model:
    """A model that frames its input."""
    options = {"frame_size": size, "frame_step": step, "prefill": prefill}
    outputs = [((*outer, frames, size), "int16"), ((), "bool")]
    return signal_model("SignalFramer", options, [((*outer, frames * step), "int16")], outputs)


@st.composite
def models(draw: st.DrawFn) -> Model:
    size, step = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    outer = draw(st.lists(st.integers(1, 3), max_size=2))
    prefill = draw(st.booleans()) and step <= size
    return framer(size, step, tuple(outer), draw(st.integers(1, 5)), prefill=prefill)


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    options = options_of(model)
    count = 0 if options["prefill"] else -(-options["frame_size"] // options["frame_step"]) - 1
    frames = model.outputs[0].shape[-2]

    def written(outputs: list[Array], inference: int) -> list[Array]:
        missing = max(count - inference % 5 * frames, 0)
        return [outputs[0][..., missing:, :], outputs[1]]

    agrees(oracle, model, seed, invokes=5, reset=True, defined=written)


def step(*values: int) -> list[Array]:
    return [np.array(values, np.int16)]


def test_frames_overlap_and_reset_forgets_them() -> None:
    steps = [step(1, 2), step(3, 4), step(5, 6), RESET, step(7, 8)]
    with pytest.warns(UndefinedWarning, match="the first 1 frames are not written"):
        got = run_arenite(framer(3, 2), steps)
    seen = [(frames.tolist(), valid.item()) for frames, valid in got]
    assert seen == [
        ([[0, 0, 0]], False),
        ([[1, 2, 3]], True),
        ([[3, 4, 5]], True),
        ([[0, 0, 0]], False),
    ]


def test_prefill_begins_with_zeros() -> None:
    got = run_arenite(framer(3, 2, prefill=True), [step(1, 2), step(3, 4)])
    seen = [(frames.tolist(), valid.item()) for frames, valid in got]
    assert seen == [([[0, 1, 2]], True), ([[2, 3, 4]], True)]


@pytest.mark.parametrize(("size", "every", "prefill"), [(0, 1, False), (3, 0, False), (2, 3, True)])
def test_refuses_what_crashes_tflm(size: int, every: int, prefill: bool) -> None:
    with pytest.raises(ConstraintError, match="expected frame_"):
        run_arenite(framer(size, every, prefill=prefill), [])


def test_refuses_a_part_of_a_step() -> None:
    options = {"frame_size": 4, "frame_step": 3, "prefill": True}
    outputs = [((1, 4), "int16"), ((), "bool")]
    model = signal_model("SignalFramer", options, [((4,), "int16")], outputs)
    with pytest.raises(ConstraintError, match="expected a multiple of frame_step = 3 samples"):
        run_arenite(model, [])
