"""Run passes over a model, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from arenite.errors import AreniteError, ModelError, OptimizationError
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.model.check import check
from arenite.model.consistency import check_order
from arenite.optimize.outcome import Note, Outcome, Report, Step
from arenite.optimize.passes import find, sequence
from arenite.optimize.settings import Overlap, Settings
from arenite.target import Target, find_target

#: Told what is done next, in a few words.
Progress = Callable[[str], None]


def optimize(
    model: Model | Source,
    target: Target | str | None = None,
    *,
    only: Iterable[str] | None = None,
    overlap: Overlap = "none",
    dilate: bool = False,
    strip: bool = False,
    seconds: float = 10.0,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    progress: Progress | None = None,
) -> tuple[Model, Report]:
    """A model with the same outputs for every input, which takes less memory and time.

    Nothing is retrained or rounded anew: what runs the one model runs the other, with the same
    bits.

    Args:
        model: A model, a ``.tflite`` file's path, or its bytes.
        target: The firmware to plan memory for; None is TFLM's own package on this host.
        only: Names of the passes to run; by default all of them. They run in their own order.
        overlap: Whether outputs may lie on inputs that are no longer needed: ``"none"``,
            ``"portable"`` where that is safe on all builds that are known, ``"target"`` where it
            is safe on ``target``. The last is a file for that firmware alone.
        dilate: Allow 1x1 convolutions a dilation that changes their path in CMSIS-NN only, where
            the plan needs it.
        strip: Take away names and descriptions.
        seconds: How long one search for a plan may take.
        ranges: Least and largest real value of inputs, by name: what the firmware promises.
        progress: Told what is done next.

    Raises:
        ValueError: There is no such pass or target, or a setting means nothing.
        ModelError: The model is malformed, or an MNN one.
        OptimizationError: A pass went wrong; there is no result.
    """
    settings = Settings(find_target(target), overlap, dilate, strip, seconds, dict(ranges or {}))
    original = _checked(model_of(model))
    steps: list[Step] = []
    current = original
    for name in sequence(only):
        if progress:
            progress(name)
        steps.append(run_pass(name, current, settings))
        current = steps[-1].after
    return current, Report(original, settings, tuple(steps))


def run_pass(name: str, model: Model, settings: Settings) -> Step:
    """Run one pass. A model that it cannot be run on stays as it is, with the reason.

    Raises:
        OptimizationError: What the pass made of it is no sound model.
    """
    start = time.perf_counter()
    try:
        outcome = find(name)(model, settings)
    except AreniteError as error:
        outcome = Outcome(model, declined=(Note("$", str(error)),))
    if outcome.model is not model:
        _require_sound(name, outcome.model)
    seconds = time.perf_counter() - start
    return Step(name, model, outcome.model, outcome.changes, outcome.declined, seconds)


def _checked(model: Model) -> Model:
    if model.format == "mnn":
        raise ModelError(
            "expected a .tflite model, got one of MNN's: nothing writes .mnn files, and what "
            "Arenite reads from one uses operators that no .tflite file has"
        )
    check(model)
    check_order(model)
    return model


def _require_sound(name: str, model: Model) -> None:
    try:
        check(model)
        check_order(model)
    except ModelError as error:
        raise OptimizationError(f"pass {name!r} made a model that is not sound: {error}") from error
