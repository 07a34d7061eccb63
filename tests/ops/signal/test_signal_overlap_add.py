"""SignalOverlapAdd equals TFLM over inferences and resets."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, TensorType
from tests.ops.differential import equals_tflm, run_arenite
from tests.ops.signal.models import signal_model
from tests.steps import RESET


def overlap_add(kind: str, outer: tuple[int, ...], frames: int, size: int, step: int) -> Model:
    """A model that adds up frames."""
    options = {"T": int(TensorType.of(kind)), "frame_step": step}
    ports = [((*outer, frames, size), kind)]
    return signal_model("SignalOverlapAdd", options, [*ports], [((*outer, frames * step), kind)])


@st.composite
def models(draw: st.DrawFn) -> Model:
    size = draw(st.integers(1, 30))
    return overlap_add(
        draw(st.sampled_from(["int16", "float32"])),
        tuple(draw(st.lists(st.integers(1, 3), max_size=2))),
        draw(st.integers(1, 4)),
        size,
        draw(st.integers(1, size)),
    )


test_equals_tflm = equals_tflm(models(), invokes=3, reset=True)


def test_frames_overlap_over_inferences_and_reset_forgets_them() -> None:
    x = [np.array([[1, 2, 3], [10, 20, 30]], np.int16)]
    got = run_arenite(overlap_add("int16", (), 2, 3, 2), [x, x, RESET, x])
    assert [out[0].tolist() for out in got] == [[1, 2, 13, 20], [31, 2, 13, 20], [1, 2, 13, 20]]


def test_integers_saturate() -> None:
    x = [np.full((2, 2), 30000, np.int16)]
    assert run_arenite(overlap_add("int16", (), 2, 2, 1), [x])[0][0].tolist() == [30000, 32767]


@pytest.mark.parametrize("step", [0, 4, -1])
def test_refuses_steps_that_crash_tflm(step: int) -> None:
    with pytest.raises(ConstraintError, match="expected frame_step from 1 to 3"):
        run_arenite(overlap_add("int16", (), 2, 3, step), [])


def test_refuses_another_type_than_its_own() -> None:
    model = signal_model(
        "SignalOverlapAdd",
        {"T": int(TensorType.FLOAT32), "frame_step": 1},
        [((2, 2), "int16")],
        [((2,), "int16")],
    )
    with pytest.raises(ConstraintError, match="of the type T = float32, got int16"):
        run_arenite(model, [])
