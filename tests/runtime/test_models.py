"""Real models give TFLM's outputs, on random inputs and on real ones, and see what is there.

The models and samples lie beside the repository (see :mod:`tests.shared`); without them
these tests skip. ``ARENITE_CASES`` sets the number of random inputs per model.
"""

import os
import wave
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.formats import load, tflite
from arenite.model import Model, Tensor
from tests.ops.differential import assert_same, random_array
from tests.oracle import Oracle
from tests.shared import ROOT, shared_model, shared_models, shared_sample
from tests.steps import RESET, Step
from tests.variants import interpreter, variants

Array = np.ndarray[Any, Any]

CASES = int(os.environ.get("ARENITE_CASES", "3"))
ARENA = 1 << 23
#: The audio preprocessors need operators that Arenite does not have; TFLM refuses the other.
OTHERS = {"audio_preprocessor_float", "audio_preprocessor_int8", "kws_hybrid"}
MODELS = [path for path in shared_models() if path.stem not in OTHERS]
#: Those with variable tensors.
STATEFUL = [
    path for path in MODELS if any(tensor.is_variable for tensor in load(path).main.tensors)
]
MICRO_SPEECH_LABELS = ["silence", "unknown", "yes", "no"]


def name_of(path: Path) -> str:
    return path.stem


def run(interpreter: ar.Interpreter, steps: list[Step]) -> list[list[Array]]:
    """The outputs of every step that is not a reset."""
    results = []
    for step in steps:
        if isinstance(step, str):
            interpreter.reset()
            continue
        outputs = interpreter(*step)
        results.append(list(outputs) if isinstance(outputs, tuple) else [outputs])
    return results


def equals_tflm(oracle: Oracle, source: Path | bytes, steps: list[Step]) -> list[list[Array]]:
    """Assert that all outputs of all kernels are TFLM's, and return the fastest ones'.

    Integers are equal bit for bit, floats within 1e-5 of the output's largest magnitude.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    answer = oracle.run(data, steps, ARENA)
    assert answer.status == "ok", answer.log
    ours: list[list[Array]] = []
    for variant in variants():
        interp = interpreter(source, variant)
        ours = run(interp, steps)
        for number, (mine, its) in enumerate(zip(ours, answer.outputs, strict=True)):
            for left, right in zip(mine, its, strict=True):
                assert_same(left, right, interp.model, number, variant=variant)
    return ours


def showing_all(path: Path) -> bytes:
    """The model with every operator's output as an output of its own.

    The outputs of ``keyword_scrambled`` are the same for all inputs; what it computes on the
    way is not. (All of ``keyword_scrambled_8bit`` saturates, behind its first operator.)
    """
    model = load(path)
    computed = tuple(index for operator in model.main.operators for index in operator.outputs)
    main = replace(model.main, outputs=computed)
    return tflite.write(replace(model, subgraphs=(main, *model.subgraphs[1:]), signatures=()))


def random_steps(model: Model, count: int, seed: int = 0) -> list[Step]:
    rng = np.random.default_rng(seed)
    return [[random_array(tensor, rng) for tensor in model.inputs] for _ in range(count)]


def quantized(values: Array, tensor: Tensor) -> Array:
    """Real values as the tensor's own, in its shape."""
    if tensor.type.dtype == np.float32:
        return values.astype(np.float32).reshape(tensor.shape)
    assert tensor.quantization is not None
    scaled = np.round(values / tensor.quantization.scale[0]) + tensor.quantization.zero_point[0]
    info = np.iinfo(tensor.type.dtype)
    return np.clip(scaled, info.min, info.max).astype(tensor.type.dtype).reshape(tensor.shape)


def image(name: str) -> Array:
    """A picture's grey values from 0 to 255."""
    pillow = pytest.importorskip("PIL.Image")
    with pillow.open(shared_sample(name)) as picture:
        return np.array(picture.convert("L"))


def samples(name: str) -> Array:
    """The first channel of a recording, int16."""
    with wave.open(str(shared_sample(name))) as recording:
        data = np.frombuffer(recording.readframes(recording.getnframes()), np.int16)
        return data[:: recording.getnchannels()]


# -- random inputs ------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_random_inputs_give_tflms_outputs(oracle: Oracle, path: Path) -> None:
    equals_tflm(oracle, path, random_steps(load(path), CASES))


@pytest.mark.parametrize("name", ["ad_float32", "ic_float32", "vww_float32"])
def test_tflm_runs_what_is_written_from_an_mnn_file(oracle: Oracle, name: str) -> None:
    path = ROOT / "models" / "mnn" / f"{name}.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path.name}")
    model = load(path)
    equals_tflm(oracle, tflite.write(model), random_steps(model, CASES))


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_every_operator_gives_tflms_output(oracle: Oracle, path: Path) -> None:
    equals_tflm(oracle, showing_all(path), random_steps(load(path), 1))


@pytest.mark.parametrize("path", STATEFUL, ids=name_of)
def test_state_is_tflms_over_20_inferences_and_after_reset(oracle: Oracle, path: Path) -> None:
    once = random_steps(load(path), 20)
    outputs = equals_tflm(oracle, showing_all(path), [*once, RESET, *once])
    for before, after in zip(outputs[:20], outputs[20:], strict=True):
        for left, right in zip(before, after, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("name", ["dtln_noise_suppression", "keyword_scrambled", "trained_lstm"])
def test_an_inference_depends_on_the_one_before(name: str) -> None:
    path = shared_model(name)
    first, second = run(ar.Interpreter(showing_all(path)), random_steps(load(path), 1) * 2)
    assert any((a != b).any() for a, b in zip(first, second, strict=True))


# -- pictures -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["person_detect", "vww_int8", "vww_float32"])
def test_tells_a_person_from_none(oracle: Oracle, name: str) -> None:
    path = shared_model(name)
    shape = load(path).inputs[0].shape
    steps: list[Step] = []
    for picture in ("person", "no_person"):
        # The bytes of these files are int8 values already, as TFLM's own test reads them.
        grey = image(f"person_detection/{picture}.bmp").view(np.int8).reshape(1, 96, 96, 1)
        x = np.repeat(grey, shape[3], axis=3)
        steps.append([(x + np.float32(128)) / np.float32(255) if name == "vww_float32" else x])
    (person, *_), (no_person, *_) = equals_tflm(oracle, path, steps)
    assert person.argmax() == 1
    assert no_person.argmax() == 0


@pytest.mark.parametrize("name", ["trained_lstm", "trained_lstm_int8"])
def test_the_lstm_reads_ten_digits(oracle: Oracle, name: str) -> None:
    path = shared_model(name)
    tensor = load(path).inputs[0]
    steps: list[Step] = []
    for digit in range(10):
        steps += [[quantized(image(f"mnist/sample{digit}.png") / 255, tensor)], RESET]
    outputs = equals_tflm(oracle, path, steps)
    assert [int(output[0].argmax()) for output in outputs] == list(range(10))


# -- sound --------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["yes", "no", "silence", "noise"])
def test_micro_speech_hears_the_word(oracle: Oracle, word: str) -> None:
    path, preprocessor = shared_model("micro_speech_quantized"), "audio_preprocessor_int8"
    sound = samples(f"micro_speech/{word}_1000ms.wav")
    # 30 ms every 20 ms; TFLM itself makes the features.
    frames: list[Step] = [[sound[start : start + 480][None]] for start in range(0, 15521, 320)]
    features = oracle.run(shared_model(preprocessor).read_bytes(), frames[:49], ARENA)
    x = np.concatenate([output[0] for output in features.outputs]).reshape(1, 1960)
    ((scores,),) = equals_tflm(oracle, path, [[x]])
    expected = "silence" if word == "noise" else word
    assert MICRO_SPEECH_LABELS[int(scores.argmax())] == expected


def test_sww_hears_the_wake_word(oracle: Oracle) -> None:
    path = shared_model("sww_int8")
    tensor = load(path).inputs[0]
    with np.load(shared_sample("streaming_wakeword/calibration_samples.npz")) as file:
        spectra, labels = file["specs"], file["labels"]
    outputs = equals_tflm(oracle, path, [[quantized(spectrum, tensor)] for spectrum in spectra])
    heard = [int(output[0].argmax()) for output in outputs]
    assert np.mean(heard == labels) > 0.9


def test_dtln_filters_speech_as_tflm_does(oracle: Oracle) -> None:
    path = shared_model("dtln_noise_suppression")
    tensor = load(path).inputs[0]
    sound = samples("micro_speech/yes_1000ms.wav") / 32768
    frames = [sound[start : start + 512] for start in range(0, 15488, 128)]
    steps: list[Step] = [[quantized(np.abs(np.fft.rfft(frame)), tensor)] for frame in frames]
    masks = equals_tflm(oracle, path, steps)
    assert len({mask[0].tobytes() for mask in masks}) > len(masks) // 2
