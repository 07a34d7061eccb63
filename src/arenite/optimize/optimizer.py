"""Run passes over a model, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from arenite.cores import DEFAULT
from arenite.errors import AreniteError, ModelError, OptimizationError
from arenite.formats import Source, model_of, tflite
from arenite.memory.offline import without_plan
from arenite.model import Model
from arenite.model.check import check
from arenite.model.consistency import check_order
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.model.unread import moved_inside
from arenite.ops import places_operands, takes_scratch
from arenite.optimize._cycles import has_costs
from arenite.optimize.difference import measure
from arenite.optimize.outcome import Elsewhere, Note, Outcome, Report, Step
from arenite.optimize.sequence import find, sequence
from arenite.optimize.settings import DECODER_CODE, Overlap, Settings
from arenite.optimize.stub_operators import resolver_for
from arenite.optimize.verify import Verification
from arenite.optimize.verify import verify as verify_models
from arenite.options import function_or_none, mapping, optional, real, takes, text, whole
from arenite.runtime.allocation import smallest_arena
from arenite.runtime.distances import BUILDS
from arenite.target import HOST, Target, find_target

#: More inputs are kept in memory than anybody verifies on.
MOST_INPUTS = 10_000
#: Told what is done next, in a few words.
Progress = Callable[[str], None]


@takes(
    overlap=text,
    seconds=real(0, "a number of seconds"),
    ranges=optional(mapping()),
    verify=whole(),
    ram=optional(whole()),
    cycles=optional(whole()),
    decompression_memory=whole(),
    decoder_code=whole(),
    progress=function_or_none,
)
def optimize(
    model: Model | Source,
    target: Target | str | None = None,
    *,
    only: Iterable[str] | None = None,
    overlap: Overlap = "none",
    dilate: bool = False,
    strip: bool = False,
    lower: bool = False,
    seconds: float = 10.0,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    verify: int = 8,
    compress: bool = False,
    ram: int | None = None,
    cycles: int | None = None,
    decompression_memory: int = 0,
    decoder_code: int = DECODER_CODE,
    progress: Progress | None = None,
) -> tuple[Model, Report]:
    """A model with the same outputs for every input, which takes less memory and time.

    Nothing is retrained or rounded anew: what runs the one model runs the other, with the same
    bits. A model that TFLM does not run, or that would need a larger arena afterwards, comes back
    as it was.

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
        lower: Write operators that the target's TFLM does not run from those that it has. Where
            that cannot keep all bits, the report says how far outputs are from LiteRT's.
        seconds: How long one search for a plan may take.
        ranges: Least and largest real value of inputs, by name: what the firmware promises.
        verify: How many random inputs to compare both models on, beside extreme ones; 0 for no
            comparison at all.
        compress: Write constants through TFLM_DECODE where that makes the file smaller, as
            ``only`` with that pass does. What is decoded needs arena and time.
        ram: Bytes that the arena may have with compressed constants.
        cycles: Cycles that an inference may take with them, as estimated for ``target``.
        decompression_memory: Bytes that the firmware gives
            :meth:`MicroInterpreter.set_decompression_memory`; without ``ram``, what does not fit
            there is not compressed.
        decoder_code: Bytes of code that TFLM_DECODE adds to the firmware, 0 where it has it
            anyway: compression that saves fewer is left out.
        progress: Told what is done next.

    Returns:
        The model, and a report of what every pass did and what it declined.

    Raises:
        ValueError: There is no such pass or target, or a setting means nothing.
        ModelError: The model is malformed, or an MNN one.
        OptimizationError: A pass went wrong: outputs differ. There is no result.
    """
    names = sequence(only)
    asked = set() if only is None else set(names)
    does = {"lower": lower or "lower" in asked, "compress": compress or "compress" in asked}
    _check_only(asked, {**does, "strip": strip})
    names = tuple(name for name in names if does.get(name, True))
    settings = Settings(
        target=find_target(target),
        overlap=overlap,
        dilate=dilate,
        strip=strip,
        seconds=seconds,
        ranges=dict(ranges or {}),
        ram=ram,
        cycles=cycles,
        decompression_memory=decompression_memory,
        decoder_code=decoder_code,
        **does,
    )
    _check_limits(settings)
    if not 0 <= verify <= MOST_INPUTS:
        raise ValueError(
            f"expected a number of inputs to verify on from 0 to {MOST_INPUTS:,}, got {verify:,}"
        )
    original = _checked(moved_inside(model_of(model)))
    tell: Progress = progress or (lambda text: None)
    first = tuple(_steps(original, [one for one in names if one == "lower"], settings, tell))
    base = first[-1].after if first else original
    runnable = without_plan(base) if "plan" in names else base
    refusal = why_not_run(runnable, settings)
    if refusal:
        declined = tuple(note for step in first for note in step.declined)
        return original, Report(original, settings, (_nothing("run", original, refusal, declined),))
    rest = _not_worse(base, list(_steps(base, names[len(first) :], settings, tell)), settings)
    report = Report(original, settings, (*first, *rest))
    if _says_the_same(original, report.model):
        same = f"the plan ({OFFLINE_METADATA}) that the file has is the one that would be made"
        return original, Report(original, settings, (_nothing("plan", original, same),))
    if report.model is not original:
        report = replace(report, elsewhere=tuple(_larger_elsewhere(report)))
    if verify and report.model is not original:
        tell("verify")
        report = replace(report, verification=_verified(report, runnable, verify))
    if verify and base is not original:
        exact = all(step.is_exact for step in first)
        far = measure(original, base, settings, verify, is_exact=exact)
        report = replace(report, difference=far)
    return report.model, report


def _check_only(asked: set[str], does: Mapping[str, bool]) -> None:
    """Check that no pass is wished for and left out at once."""
    for name, is_wished in does.items():
        if asked and is_wished and name not in asked:
            raise ValueError(
                f"expected {name!r} among the passes of only (--only), which leave it out, or no "
                f"{name}=True (--{name})"
            )


def _check_limits(settings: Settings) -> None:
    """Check that limits of what is decoded mean something."""
    if settings.cycles is not None and not has_costs(settings.target):
        raise ValueError(
            f"expected a target whose cycles are known for a limit of them, such as {DEFAULT!r}, "
            f"got {settings.target or HOST}"
        )
    if not settings.compress and (settings.cycles is not None or settings.decompression_memory):
        raise ValueError(
            "expected compress=True (--compress) with a limit of cycles, a deadline or "
            "decompression memory: they are limits of what is decoded"
        )


def _steps(
    original: Model, names: Iterable[str], settings: Settings, tell: Progress
) -> Iterator[Step]:
    current = original
    if "plan" in names and OFFLINE_METADATA in original.metadata:
        current = without_plan(original)
        note = Note("$.metadata", f"{OFFLINE_METADATA}: the plan is made anew")
        yield Step("unplan", original, current, (note,), (), 0.0)
    for name in names:
        tell(name)
        step = run_pass(name, current, settings)
        current = step.after
        yield step


def why_not_run(model: Model, settings: Settings) -> str:
    """The reason why TFLM does not run a model on the target; empty if it does."""
    if any(places_operands(one) for graph in model.subgraphs for one in graph.operators):
        return (
            "its layers are compiled for an NPU, with a plan that is part of what they compute: "
            "optimise the original model, and compile that"
        )
    resolver, _ = resolver_for(model)
    try:
        smallest_arena(model, resolver, target=settings.target)
    except AreniteError as error:
        return f"it does not run, so that nothing could be verified: {error}"
    return ""


def _not_worse(original: Model, steps: list[Step], settings: Settings) -> list[Step]:
    """The steps as far as the arena is not larger than before; why the others are left out."""
    try:
        before = _arena(original, original, settings)
    except AreniteError:
        return steps  # its plan is for another firmware
    packed = next((n for n, s in enumerate(steps) if s.name == "compress" and s.is_change), None)
    judged = steps[:packed]  # what is compressed is meant to need a larger one
    kept = judged
    try:
        while kept and _arena(original, kept[-1].after, settings) > before:
            kept = kept[:-1]
    except AreniteError as error:
        raise OptimizationError(f"the original runs, the result does not: {error}") from error
    if kept is judged:
        return steps
    after = _arena(original, judged[-1].after, settings)
    reason = (
        f"passes from {steps[len(kept)].name!r} on are left out: the result would need an arena of "
        f"{after:,} bytes, not {before:,}"
    )
    return [*kept, _nothing("arena", kept[-1].after if kept else original, reason)]


def _arena(original: Model, model: Model, settings: Settings) -> int:
    resolver, _ = resolver_for(original)
    return smallest_arena(model, resolver, target=settings.target)


def _larger_elsewhere(report: Report) -> Iterator[Elsewhere]:
    """Firmware beside the target that the file is good for, where that needs a larger arena.

    TFLM's package on this host; with an overlap that is safe on all builds these as well. Others
    that are in doubt have other scratch memory, which a plan for the target knows nothing of.
    """
    settings = report.settings
    builds = BUILDS if settings.overlap == "portable" else (HOST,)
    for build in builds:
        if build == (settings.target or HOST):
            continue
        meant = replace(settings, target=build)
        try:
            before, after = (
                _arena(report.original, one, meant) for one in (report.lowered, report.model)
            )
        except AreniteError:  # a plan for other kernels, or no kernels for the model
            continue
        if after > before:
            yield Elsewhere(build, before, after)


def _nothing(name: str, model: Model, reason: str, more: tuple[Note, ...] = ()) -> Step:
    return Step(name, model, model, (), (Note("$", reason), *more), 0.0)


def _says_the_same(original: Model, result: Model) -> bool:
    """Whether a planned model has been planned anew, and nothing has changed."""
    if result is original or original.metadata != result.metadata:
        return False
    try:
        return tflite.write(original) == tflite.write(result)
    except ModelError:
        return False


def _verified(report: Report, runnable: Model, count: int) -> Verification:
    try:
        return verify_models(runnable, report.model, report.settings, count, named(report))
    except OptimizationError as error:
        culprit = _culprit(report, count)
        raise OptimizationError(
            f"{culprit} the outputs; the result is thrown away. {error}"
        ) from error


def named(report: Report) -> Model:
    """The result with the names that its tensors had before they were taken away."""
    last = report.steps[-1]
    return last.before if last.name == "strip" else last.after


def _culprit(report: Report, count: int) -> str:
    for step in report.steps:
        if step.is_change and step.name != "lower":
            try:
                verify_models(step.before, step.after, report.settings, count)
            except AreniteError:
                return f"pass {step.name!r} changed"
    return "all passes together changed"


def run_pass(name: str, model: Model, settings: Settings) -> Step:
    """Run one pass. A model that it cannot be run on stays as it is, with the reason.

    Raises:
        OptimizationError: What the pass made of it is no sound model.
        ModelError: Nor was it one before.
    """
    start = time.perf_counter()
    try:
        outcome = find(name)(model, settings)
    except AreniteError as error:
        outcome = Outcome(model, declined=(Note("$", str(error)),))
    if outcome.model is not model:
        _require_sound(name, model, outcome.model)
    seconds = time.perf_counter() - start
    notes = outcome.changes, outcome.declined
    return Step(name, model, outcome.model, *notes, seconds, outcome.is_exact)


def _checked(model: Model) -> Model:
    if model.format == "mnn":
        raise ModelError(
            "expected a .tflite model, got one of MNN's: nothing writes .mnn files, and what "
            "Arenite reads from one uses operators that no .tflite file has"
        )
    require_sound(model)
    return model


def require_sound(model: Model) -> None:
    """Check indices and order, as a model has to be before a pass looks at it.

    Raises:
        ModelError: It is not sound.
    """
    check(model)
    check_order(model, takes_scratch=takes_scratch)


def _require_sound(name: str, before: Model, after: Model) -> None:
    try:
        require_sound(after)
    except ModelError as error:
        require_sound(before)
        raise OptimizationError(f"pass {name!r} made a model that is not sound: {error}") from error
