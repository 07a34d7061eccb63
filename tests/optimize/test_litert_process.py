"""LiteRT in a process of its own."""

import numpy as np
import pytest

from arenite.formats import tflite
from arenite.optimize import litert_process
from tests.optimize.lowered import KINDS
from tests.runtime.models import memory_of_three

pytestmark = pytest.mark.skipif(not litert_process.is_installed(), reason="LiteRT is not installed")


def test_it_runs_what_tflm_does_not():
    model = KINDS["SIGN"](np.random.default_rng(0))
    inputs = np.full(model.inputs[0].shape, -3, np.float32)
    (answer,) = litert_process.run([tflite.write(model)], [[inputs]], 1)
    assert (answer.outputs[0][0] == -1).all()


def test_a_reset_forgets():
    one = np.ones((1, 1), np.float32)
    (answer,) = litert_process.run(
        [tflite.write(memory_of_three())], [[one], [one], None, [one]], 1
    )
    assert [float(outputs[0][0, 0]) for outputs in answer.outputs] == [1, 3, 1]


def test_a_model_that_is_refused_has_a_reason():
    good = tflite.write(memory_of_three())
    (answer,) = litert_process.run([good[:40] + bytes(40)], [], 1)
    assert answer.reason
    assert answer.outputs == []
