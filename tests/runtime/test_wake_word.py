"""A microWakeWord-shaped model: every window as TFLM has it, and in one C call."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import native
from arenite.formats import tflite
from tests.oracle import Oracle, printed_rows, tflm_rows
from tests.runtime.wake_word import wake_word
from tests.steps import RESET

Array = np.ndarray[Any, Any]
WINDOWS = 200
ENGINES = ["reference", *(["native"] if native.available() else [])]


def windows(count: int) -> Array:
    """Features that are loud and quiet by turns."""
    rng = np.random.default_rng(1)
    loudness = 1 + np.abs(np.sin(np.arange(count) / 9))[:, None, None, None]
    noise = rng.normal(-20, 30, (count, 1, 3, 40)) * loudness
    return np.clip(noise, -128, 127).astype(np.int8)


@pytest.fixture(scope="module")
def theirs(oracle: Oracle) -> Any:
    steps = [[window] for window in windows(WINDOWS)]
    return oracle.run(tflite.write(wake_word()), [*steps, RESET, *steps[:20]])


@pytest.mark.parametrize("engine", ENGINES)
def test_every_window_equals_tflm(theirs: Any, engine: Any) -> None:
    interpreter = ar.Interpreter(tflite.write(wake_word()), engine=engine)
    got = [interpreter(window) for window in windows(WINDOWS)]
    interpreter.reset()
    got += [interpreter(window) for window in windows(20)]
    expected = [outputs[0] for outputs in theirs.outputs]
    np.testing.assert_array_equal(np.array(got), np.array(expected))
    assert len(np.unique(got)) > 20, "the model should not say the same of everything"


def test_the_arena_equals_tflms(theirs: Any) -> None:
    used = ar.Interpreter(tflite.write(wake_word()), arena=1 << 22).allocations()
    assert (used.head, used.tail) == (theirs.allocations["head"], theirs.allocations["tail"])
    assert tflm_rows(used) == printed_rows(theirs.log)


@pytest.mark.skipif(not native.available(), reason="no native engine")
def test_all_of_it_is_one_c_call() -> None:
    interpreter = ar.Interpreter(wake_word(), engine="native")
    compiled = interpreter._micro.compiled
    assert compiled is not None
    assert min(compiled.steps) >= 0
    assert compiled.call(interpreter._micro.turn) is not None


def test_a_recording_is_a_sequence_and_a_window_alone_is_not() -> None:
    interpreter = ar.Interpreter(wake_word())
    batch = windows(30)
    alone = ar.Interpreter(wake_word())
    sequence = [alone(window) for window in batch]
    apart = [alone.copy()(window) for window in batch[:5]]
    np.testing.assert_array_equal(interpreter.predict(batch, stateful=True)[:, None], sequence)
    for threads in (1, 2):
        got = interpreter.predict(batch[:5], stateful=False, threads=threads)
        np.testing.assert_array_equal(np.asarray(got)[:, None], apart)
