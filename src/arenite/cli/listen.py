"""A ``.wav`` of any length, window by window: what ``arenite run`` does with models that listen."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arenite.analysis.engines.listening import (
    Listener,
    Listening,
    keeps_state,
    largest,
    step_of,
    window_count,
    windows,
    words,
)
from arenite.analysis.engines.ranking import Ranked
from arenite.analysis.inputs.media import (
    read_samples,
    require_raw_samples,
    samples_for,
    sound_file,
)
from arenite.analysis.inputs.values import InputError
from arenite.cli.common import progress
from arenite.model import Model
from arenite.model.model import Array
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.interpreter_config import Setup

#: What a single score must reach.
_ONE_SCORE = 0.5


class Wishes(NamedTuple):
    """Settings: the front end, milliseconds between windows, lowest score of a word."""

    front_end: Model | None
    step: float | None
    threshold: float | None
    labels: Sequence[str]

    def threshold_of(self, model: Model) -> float:
        """The lowest score that counts: the largest of several does, whatever it is."""
        if self.threshold is not None:
            return self.threshold
        is_one = bool(model.outputs) and model.outputs[0].size == 1
        return _ONE_SCORE if is_one else -math.inf


def wants_to_listen(model: Model, files: Sequence[Path], wishes: Wishes) -> bool:
    """Whether a ``.wav`` is to be fed window by window.

    It is for a model that keeps a state, and where a front end or a step says so.

    Raises:
        InputError: It is asked for and cannot be: there is not one ``.wav`` file.
    """
    is_sound = len(files) == 1 and files[0].suffix.lower() == ".wav"
    asked = wishes.front_end is not None or wishes.step is not None
    if asked and not is_sound:
        raise InputError(
            "expected one .wav file as --input to listen to, with --frontend or --step"
        )
    return asked or (is_sound and len(model.inputs) == 1 and keeps_state(model))


def listen(
    model: Model, path: Path, setup: Setup, wishes: Wishes
) -> tuple[Listening, list[list[Array]]]:
    """Listen to a file; what was heard, and the outputs of all inferences.

    Raises:
        InputError: The file is no PCM, or the first model takes something else than samples.
        ShapeError: The file is too short, or the models do not fit together.
    """
    with np.errstate(all="ignore"):  # as on the device, NaN and overflow are results
        front = wishes.front_end
        interpreter = Interpreter(model, **setup.options)
        made = None if front is None else Interpreter(front, **setup.options)
        listener = Listener(interpreter, made)
        require_raw_samples(path, listener.samples)
        sound = sound_file(path)
        size = listener.samples.size
        step = step_of(size, sound.rate, wishes.step, overlaps=front is not None)
        count = window_count(path, sound, size, step, listener.windows)
        start = time.perf_counter()
        with progress("listening", count, expected_seconds=count / 3000) as advance:
            heard = list(_heard(listener, path, step, advance))
        seconds = time.perf_counter() - start
    ends = [(size + window * step) / sound.rate for window, _ in heard]
    outputs = [outputs for _, outputs in heard]
    ranked = [_ranked(model, arrays, wishes.labels) for arrays in outputs]
    listening = Listening(
        file=model.source,
        front_end="" if front is None else front.source,
        target=setup.target,
        engine=interpreter.engine,
        origin=f"{path.name}, {sound.samples / sound.rate:.2f} s at {sound.rate} Hz",
        rate=sound.rate,
        samples=sound.samples,
        window=size,
        step=step,
        windows=count,
        inferences=len(heard),
        words=tuple(words(zip(ends, ranked, strict=True), wishes.threshold_of(model))),
        seconds=seconds,
    )
    return listening, outputs


def _heard(
    listener: Listener, path: Path, step: int, advance: Callable[[], None]
) -> Iterator[tuple[int, list[Array]]]:
    """Numbers of windows after which the model was asked, and its outputs."""
    tensor = listener.samples
    for number, window in enumerate(windows(read_samples(path), tensor.size, step)):
        outputs = listener.hear(samples_for(tensor, window, path.name))
        if outputs is not None:
            yield number, outputs
        advance()


def _ranked(model: Model, outputs: list[Array], labels: Sequence[str]) -> Ranked | None:
    """The first output's largest value."""
    return largest(outputs[0], model.outputs[0], labels) if outputs else None
