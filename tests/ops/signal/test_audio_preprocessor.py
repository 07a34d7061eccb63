"""TFLM's audio front ends: every tensor of every window equals TFLM's, and the word is heard."""

import wave
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.formats import tflite
from arenite.model import Model
from tests.ops.differential import Array
from tests.oracle import Oracle, printed_rows, tflm_rows
from tests.shared import shared_model, shared_sample

SAMPLES = ["yes", "no", "silence", "noise"]
WORDS = ["silence", "unknown", "yes", "no"]
WINDOW, STEP, WINDOWS = 480, 320, 49
#: What SignalEnergy writes; the CAST behind it reads all, and a STRIDED_SLICE only this.
WRITTEN = {name: slice(5, 241) for name in ("signal_energy", "Cast")}


def windows(sample: str) -> list[Array]:
    """30 ms of sound every 20 ms."""
    with wave.open(str(shared_sample(f"micro_speech/{sample}_1000ms.wav"))) as file:
        sound = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    return [sound[STEP * i :][:WINDOW].reshape(1, WINDOW) for i in range(WINDOWS)]


def front_end(kind: str, *, showing_all: bool = False) -> Model:
    """A front end; all that its operators compute are its outputs, if wanted."""
    model = ar.load(shared_model(f"audio_preprocessor_{kind}"))
    outputs = tuple(index for operator in model.main.operators for index in operator.outputs)
    main = replace(model.main, outputs=outputs if showing_all else model.main.outputs)
    return tflite.read(tflite.write(replace(model, subgraphs=(main,))))


def native(interpreter: ar.Interpreter) -> list[str]:
    """The operators that have no kernel."""
    kernels = interpreter._micro.compiled
    assert kernels is not None
    operators = interpreter.model.main.operators
    return [op.name for i, op in enumerate(operators) if kernels.kernel(i) == "python"]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("kind", ["int8", "float"])
def test_every_tensor_of_every_window_equals_tflm(oracle: Oracle, kind: str, sample: str) -> None:
    model, steps = front_end(kind, showing_all=True), [[window] for window in windows(sample)]
    answer = oracle.run(tflite.write(model), steps)
    assert answer.status == "ok", answer.log
    for engine in ("reference", "native"):
        interpreter = ar.Interpreter(model, engine=engine)
        for number, ((window,), expected) in enumerate(zip(steps, answer.outputs, strict=True)):
            got = interpreter(window)
            for tensor, mine, its in zip(model.outputs, got, expected, strict=True):
                where = f"{tensor.name}, window {number}, {engine}"
                written = WRITTEN.get(tensor.name, slice(None))
                ours, theirs = mine.reshape(-1)[written], its.reshape(-1)[written]
                np.testing.assert_array_equal(ours, theirs, err_msg=where)
        used = interpreter.allocations()
        assert (used.head, used.tail) == (answer.allocations["head"], answer.allocations["tail"])
        assert tflm_rows(used) == printed_rows(answer.log)


@pytest.mark.parametrize("kind", ["int8", "float"])
def test_all_of_it_is_native(kind: str) -> None:
    assert native(ar.Interpreter(front_end(kind))) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_independent_windows_have_noise_estimates_of_their_own(threads: int) -> None:
    interpreter = ar.Interpreter(front_end("int8"))
    batch = np.concatenate(windows("yes")[:6])[:, None]
    got = interpreter.predict(batch, threads=threads, stateful=False)
    expected = [ar.Interpreter(front_end("int8"))(window) for window in windows("yes")[:6]]
    np.testing.assert_array_equal(got, expected)


def test_a_recording_is_one_sequence() -> None:
    batch = np.concatenate(windows("yes"))[:, None]
    got = ar.Interpreter(front_end("int8")).predict(batch, stateful=True)
    alone = ar.Interpreter(front_end("int8"))
    np.testing.assert_array_equal(got, [alone(window) for window in windows("yes")])


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(("sample", "word"), [("yes", "yes"), ("no", "no"), ("silence", "silence")])
def test_micro_speech_hears_the_word(sample: str, word: str, engine: str) -> None:
    listen = ar.Interpreter(front_end("int8"), engine=engine)
    features = np.concatenate([listen(window).reshape(1, -1) for window in windows(sample)])
    speech = ar.load(shared_model("micro_speech_quantized"))
    scores = ar.Interpreter(speech, engine=engine)(features.reshape(1, -1))
    assert WORDS[int(np.argmax(scores))] == word
