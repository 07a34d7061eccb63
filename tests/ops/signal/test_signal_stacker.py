"""SignalStacker equals TFLM over inferences and resets, where TFLM writes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model
from tests.ops.differential import Array, agrees, differential, run_arenite
from tests.ops.signal.models import signal_model
from tests.oracle import Oracle
from tests.steps import RESET


def stacker(channels: int, left: int, right: int, step: int, extra: int = 0) -> Model:
    """A model that stacks frames."""
    options = {
        "num_channels": channels,
        "stacker_left_context": left,
        "stacker_right_context": right,
        "stacker_step": step,
    }
    outputs = [((channels * max(left + right + 1, 1),), "int16"), ((), "bool")]
    return signal_model("SignalStacker", options, [((channels + extra,), "int16")], outputs)


@st.composite
def models(draw: st.DrawFn) -> Model:
    left, right = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    if draw(st.sampled_from([True, False, False, False])):
        left, right = -1, right + 1
    step = draw(st.integers(1, left + right + 1))
    return stacker(draw(st.integers(1, 9)), left, right, step, draw(st.integers(0, 2)))


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    def written(outputs: list[Array], _: int) -> list[Array]:
        return outputs if outputs[1].item() else outputs[1:]

    agrees(oracle, model, seed, invokes=9, reset=True, defined=written)


def step(*values: int) -> list[Array]:
    return [np.array(values, np.int16)]


def test_the_first_frame_is_repeated_and_later_ones_are_waited_for() -> None:
    steps = [step(1), step(2), step(3), RESET, step(7), step(8)]
    with pytest.warns(UndefinedWarning, match="output 0 is not written"):
        got = run_arenite(stacker(1, 1, 1, 1), steps)
    seen = [(stack.tolist(), valid.item()) for stack, valid in got]
    assert seen == [
        ([0, 0, 0], False),
        ([1, 1, 2], True),
        ([1, 2, 3], True),
        ([0, 0, 0], False),
        ([7, 7, 8], True),
    ]


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_every_second_frame() -> None:
    got = run_arenite(stacker(1, 1, 0, 2), [step(i) for i in (1, 2, 3, 4, 5)])
    seen = [stack.tolist() if valid.item() else None for stack, valid in got]
    assert seen == [[1, 1], None, [2, 3], None, [4, 5]]


@pytest.mark.parametrize(
    ("left", "right", "every"), [(1, 1, 0), (1, 1, 4), (1, -1, 1), (-1, 0, 1), (-2, 1, 1)]
)
def test_refuses_what_leaves_the_buffer(left: int, right: int, every: int) -> None:
    with pytest.raises(ConstraintError, match="expected stacker_"):
        run_arenite(stacker(2, left, right, every), [])
