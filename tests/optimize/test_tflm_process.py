"""TFLM's own package in a process of its own."""

import numpy as np
import pytest

import arenite as ar
from arenite.formats import tflite
from arenite.optimize import tflm_process
from tests.runtime.models import conv_model, image, memory_of_three

needed = pytest.mark.skipif(not tflm_process.is_installed(), reason="tflite_micro is not installed")


@needed
def test_it_runs_several_models_on_the_same_inputs():
    models = [conv_model(seed) for seed in (0, 1)]
    inputs = image()
    answers = tflm_process.run([tflite.write(m) for m in models], [[inputs]], 1, 1 << 16)
    for model, answer in zip(models, answers, strict=True):
        np.testing.assert_array_equal(answer.outputs[0][0], ar.Interpreter(model)(inputs))


@needed
def test_a_reset_forgets():
    one = np.ones((1, 1), np.float32)
    (answer,) = tflm_process.run(
        [tflite.write(memory_of_three())], [[one], [one], None, [one]], 1, 9999
    )
    assert [float(outputs[0][0, 0]) for outputs in answer.outputs] == [1, 3, 1]


@needed
def test_a_model_that_is_refused_has_a_reason_and_others_have_outputs():
    good = tflite.write(conv_model())
    answers = tflm_process.run([good, good[:40] + bytes(40)], [[image()]], 1, 1 << 16)
    assert answers[0].reason == ""
    assert len(answers[0].outputs) == 1
    assert answers[1].outputs == []
    assert answers[1].reason


def test_a_process_that_takes_too_long_is_ended(monkeypatch):
    def slow(*arguments, **options):
        raise TimeoutError

    monkeypatch.setattr(tflm_process, "run_module", slow)
    (answer,) = tflm_process.run([b""], [], 1, 1)
    assert "it takes over" in answer.reason
