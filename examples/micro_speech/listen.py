"""Hear "yes" and "no": ``python examples/micro_speech/listen.py [FILE.wav]``.

TFLM's micro_speech, as on a microcontroller: every 20 ms a front end makes 40 features of the
last 30 ms of sound, and the model looks at those of the last second. Both models are TFLM's own
examples; they are looked for in the folder that ARENITE_SHARED names, by default ``../shared``
beside the repository. ``arenite run MODEL --frontend FRONT_END --input FILE.wav`` does the same.
"""

from __future__ import annotations

import os
import sys
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import arenite as ar

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("ARENITE_SHARED", HERE.parents[2] / "shared"))
MODELS = SHARED / "models" / "tflm_examples"
FRONT_END = MODELS / "audio_preprocessor_int8.tflite"
SPEECH = MODELS / "micro_speech_quantized.tflite"
SAMPLE = SHARED / "samples" / "micro_speech" / "yes_1000ms.wav"
WORDS = (HERE / "labels.txt").read_text("utf-8").split()

WINDOW, STEP = 480, 320  # samples: 30 ms, 20 ms
FRAMES = 49  # windows in a second


def main(arguments: Sequence[str]) -> None:
    path = Path(arguments[0]) if arguments else SAMPLE
    if missing := [file for file in (FRONT_END, SPEECH, path) if not file.is_file()]:
        sys.exit(
            f"there is no {missing[0]}: ARENITE_SHARED=FOLDER names the folder with TFLM's models"
        )
    front_end, speech = ar.Interpreter(FRONT_END), ar.Interpreter(SPEECH)

    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (16000, 1, 2):
            sys.exit(f"{path}: expected 16000 samples of 16 bits per second, one channel")
        sound = np.frombuffer(file.readframes(file.getnframes()), np.int16)

    features = np.zeros((FRAMES, 40), np.int8)
    heard = ""
    for number, start in enumerate(range(0, len(sound) - WINDOW + 1, STEP)):
        # The front end remembers how noisy it was: windows are fed in order, each once.
        newest = front_end(sound[start : start + WINDOW].reshape(1, -1))
        features = np.concatenate([features[1:], newest.reshape(1, -1)])
        if number < FRAMES - 1:
            continue
        scores = (speech(features.reshape(1, -1)).ravel() + 128.0) / 256
        word = WORDS[int(scores.argmax())]
        if word != heard:
            print(f"{(start + WINDOW) / 16000:6.2f} s  {word:8} {scores.max():.3f}")
        heard = word


if __name__ == "__main__":
    main(sys.argv[1:])
