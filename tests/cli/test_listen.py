"""``arenite run`` with a ``.wav`` of any length."""

import json
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arenite.formats.tflite import write
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from tests.ops.signal.models import signal_model
from tests.shared import shared_model, shared_sample

RATE = 1000


def saved(path: Path, model: Model) -> Path:
    path.write_bytes(write(model))
    return path


def save_sound(path: Path, samples: Sequence[int]) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.array(samples, "<i2").tobytes())
    return path


@pytest.fixture
def front_end(tmp_path: Path) -> Path:
    """Windows of 3 samples, as they are."""
    ports: list[Any] = [((3,), "int16")]
    model = signal_model("SignalDelay", {"delay_length": 0}, [*ports], ports)
    return saved(tmp_path / "front.tflite", model)


@pytest.fixture
def speech(tmp_path: Path) -> Path:
    """Two scores of 6 samples: their sum, and its negative."""
    b = ModelBuilder()
    x = b.input("x", (1, 6), "float32")
    weights = b.constant("w", np.array([[1] * 6, [-1] * 6], np.float32))
    y = b.tensor("scores", (1, 2), "float32")
    b.operator("FULLY_CONNECTED", [x, weights], [y], FullyConnectedOptions())
    b.output(y)
    return saved(tmp_path / "speech.tflite", b.build())


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """8 ms that are positive, then 8 ms that are not."""
    return save_sound(tmp_path / "x.wav", [5] * 8 + [-5] * 8)


def test_words_are_heard_over_time(arenite, speech, front_end, sound, tmp_path):
    labels = tmp_path / "labels.txt"
    labels.write_text("up\ndown\n")
    files = ("--frontend", front_end, "--input", sound, "--labels", labels)
    result = arenite("run", speech, *files)
    assert result.exit_code == 0, result.stderr
    assert "7 windows of 3 ms, one every 2 ms" in result.stdout
    assert [line.split() for line in result.stdout.splitlines() if " s  " in line] == [
        ["0.01", "s", "0.01", "s", "0", "up", "30.000"],
        ["0.01", "s", "0.01", "s", "1", "down", "30.000"],
    ]


def test_words_in_json_and_all_outputs_in_a_file(arenite, speech, front_end, sound, tmp_path):
    files = ("--frontend", front_end, "--input", sound, "--output", tmp_path / "y.npz")
    result = arenite("run", speech, *files, "--json")
    facts = json.loads(result.stdout)
    assert (facts["window"], facts["step"], facts["windows"], facts["inferences"]) == (3, 2, 7, 6)
    found = [(word["index"], word["from"], word["to"]) for word in facts["words"]]
    assert found == [(0, 0.005, 0.009), (1, 0.011, 0.015)]
    with np.load(tmp_path / "y.npz") as outputs:
        assert outputs["scores"].shape == (6, 1, 2)


def test_step_and_threshold(arenite, speech, front_end, sound):
    files = ("--frontend", front_end, "--input", sound, "--step", 1, "--threshold", 30)
    facts = json.loads(arenite("run", speech, *files, "--json").stdout)
    assert (facts["windows"], facts["inferences"]) == (14, 13)
    assert [word["score"] for word in facts["words"]] == [30, 30]


def test_a_model_that_keeps_a_state_listens_by_itself(arenite, front_end, sound):
    facts = json.loads(arenite("run", front_end, "--input", sound, "--json").stdout)
    assert (facts["window"], facts["step"], facts["windows"]) == (3, 3, 5)


def test_nothing_may_be_heard(arenite, speech, front_end, sound):
    files = ("--frontend", front_end, "--input", sound, "--threshold", 99)
    assert "nothing was heard" in arenite("run", speech, *files).stdout


def test_a_short_sound_is_refused(arenite, speech, front_end, tmp_path):
    short = save_sound(tmp_path / "short.wav", [1] * 4)
    result = arenite("run", speech, "--frontend", front_end, "--input", short)
    assert result.exit_code == 1
    assert "expected at least 5 samples (0.01 s), which the model needs at once" in result.stderr


def test_a_front_end_wants_a_sound(arenite, speech, front_end):
    result = arenite("run", speech, "--frontend", front_end)
    assert result.exit_code == 1
    assert "expected one .wav file as --input to listen to" in result.stderr


@pytest.mark.parametrize("kind", ["int8", "float"])
@pytest.mark.parametrize("word", ["yes", "no", "silence"])
def test_micro_speech_hears_the_word(arenite, tmp_path, word, kind):
    labels = tmp_path / "labels.txt"
    labels.write_text("silence\nunknown\nyes\nno\n")
    result = arenite(
        "run", shared_model("micro_speech_quantized"), "--json",
        "--frontend", shared_model(f"audio_preprocessor_{kind}"),
        "--input", shared_sample(f"micro_speech/{word}_1000ms.wav"), "--labels", labels,
    )  # fmt: skip
    assert [found["label"] for found in json.loads(result.stdout)["words"]] == [word]
