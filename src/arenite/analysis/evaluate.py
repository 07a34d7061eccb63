"""A model on data: accuracy, confusions, ROC AUC, errors, times."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arenite.analysis.evaluation.bench import Bench
from arenite.analysis.evaluation.chunks import (
    Progress,
    Scale,
    Spread,
    Work,
    in_order,
    run_here,
    run_on,
)
from arenite.analysis.evaluation.data import Data, Reading, data_of
from arenite.analysis.evaluation.engines import Engine, engine_of
from arenite.analysis.evaluation.identity import (
    chosen_identity,
    engine_identity,
    machine_identity,
    model_identity,
    source_identity,
)
from arenite.analysis.evaluation.kept import Chunk, Kept, kept_in
from arenite.analysis.evaluation.order import better_order
from arenite.analysis.evaluation.result import (
    Evaluation,
    Latency,
    LeftOut,
    Resumed,
    Score,
    score_of,
)
from arenite.analysis.evaluation.samples import Arrays, Files, Source, pictures
from arenite.analysis.evaluation.targets import Scoring, Targets, targets_of
from arenite.analysis.inputs.pixels import common_pixels, doubts, pixel_words
from arenite.errors import EvaluateError
from arenite.formats import Source as ModelSource
from arenite.formats import load
from arenite.model import Model
from arenite.model.model import Array
from arenite.ops import Registration
from arenite.options import function_or_none, instance, mapping, optional, path, takes, text
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.interpreter_config import Engine as EngineName
from arenite.target import Target

#: Single calls are timed with so many samples.
_TIMED_SAMPLES = 32

OnError = Literal["raise", "skip"]
DataLike = str | os.PathLike[str] | tuple[Any, npt.ArrayLike | None]


@dataclass(frozen=True, eq=False)
class Samples:
    """The data, which of them are taken, what they should give; what is odd about pictures."""

    data: Data
    chosen: Array
    targets: Targets
    top_k: Sequence[int]
    odd: tuple[str, ...] = ()


@takes(
    operators=optional(mapping()),
    reading=optional(instance(Reading, expected="a Reading")),
    scoring=optional(instance(Scoring, expected="a Scoring")),
    spread=optional(instance(Spread, expected="a Spread")),
    progress=function_or_none,
    on_error=text,
    resume=optional(path),
)
def evaluate(
    model: Any,
    data: DataLike,
    *,
    against: Any = None,
    target: Target | str | None = None,
    engine: EngineName = "auto",
    isa: str | None = None,
    threads: int = 1,
    operators: Mapping[str, Registration] | None = None,
    front_end: Model | ModelSource | None = None,
    reading: Reading | None = None,
    scoring: Scoring | None = None,
    spread: Spread | None = None,
    progress: Progress | None = None,
    on_error: OnError = "raise",
    resume: str | os.PathLike[str] | None = None,
) -> Evaluation:
    """Run a model on data and compare what it says with what is right.

    >>> found = evaluate("digits.tflite", (images, labels))        # doctest: +SKIP
    >>> found.accuracy, found.auc, found.confusion                 # doctest: +SKIP
    >>> evaluate("vww.tflite", "val/", against="@litert")          # doctest: +SKIP
    >>> evaluate("ad.tflite", "ad.npz", spread=Spread(pool))       # doctest: +SKIP

    Samples are read chunk by chunk. A model with state starts anew with each. The scores are the
    same for chunks of any size.

    Args:
        model: A file, a model, ``"MODEL@ENGINE"`` as ``arenite compare`` takes it, or something
            with an interpreter's methods: Interpreter, HeapInterpreter, Board.
        data: A folder with a folder per class (pictures, or ``.wav``), a ``.npz`` of samples and
            labels, a ``.csv`` of paths and labels, or ``(x, y)``: ``(n, ...)`` samples (a tuple of
            arrays for several inputs) and labels or None. uint8 pictures become what ``arenite
            run`` makes of a picture, real numbers are quantised.
        against: Another one, which gets the same samples: ``"@litert"``, ``"@tflm"``, ``"@m4"``,
            or anything that ``model`` may be.
        target: Whose bits are meant, see :class:`arenite.Interpreter`.
        engine: What computes here.
        isa: Whose kernels run, see :class:`arenite.Interpreter`: with ``"portable"`` floats have
            the same bits on all machines of a cluster.
        threads: As of :meth:`arenite.Interpreter.predict`.
        operators: Registrations that Arenite lacks, for models in files: see :func:`arenite.load`.
        front_end: A model that makes features of windows of sound.
        reading: Which samples are read, and how.
        scoring: What right answers are: task, classes, top k.
        spread: How work is cut, and who does it. On an executor single calls are not timed.
        progress: Called with samples done and in all.
        on_error: ``"skip"`` leaves out samples that cannot be read or computed, and lists them in
            ``left_out``; by default the first one ends the evaluation.
        resume: A file that finished chunks are kept in. What it holds already is not done again:
            the scores are those of a run that nothing has disturbed, bit for bit. It is bound to
            models, data and options that answers depend on, see ``docs/evaluate.md``.

    Raises:
        EvaluateError: Data and model do not fit together, the executor lost work, no sample is
            left, or the file to resume from is of another evaluation, in use or no such file.
        InputError, ShapeError, DTypeError: A sample is broken or does not fit.
        ModelError, UnsupportedOperatorError, ConstraintError, CompareError: A model does not run.
        OSError: A file cannot be read.
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"expected on_error of 'raise' or 'skip', got {on_error!r}")
    reading, scoring, spread = reading or Reading(), scoring or Scoring(), spread or Spread()
    where: dict[str, Any] = {"target": target, "engine": engine, "isa": isa}
    engines = _engines(model, against, threads=threads, operators=operators, **where)
    asked = engines[0].model
    is_said = reading.pixels.range is not None
    pixels = common_pixels(reading.pixels, [one.model for one in engines])
    reading = reading._replace(pixels=pixels)
    given = data_of(data, asked, reading)
    odd = () if is_said else [note for one in engines for note in doubts(pixels, one.model)]
    targets = targets_of(given.labels, asked, scoring)
    front = None
    if front_end is not None:
        made = front_end if isinstance(front_end, Model) else load(front_end, operators=operators)
        front = Interpreter(made, **where)
    bench = Bench(engines, targets.task, front, on_error == "skip")
    samples = Samples(given, reading.chosen(len(given.source)), targets, scoring.ks, tuple(odd))
    todo = Work(bench, given.source.part(samples.chosen), chunk=spread.chunk, progress=progress)
    identity = {}
    if resume is not None:
        given_models = (model, against, front_end)
        identity = _identity(given_models, samples, todo, reading, operators=operators, isa=isa)
    with _kept(resume, identity, todo) as kept:
        if kept is not None:
            todo = replace(todo, done=kept.chunks, keep=kept.add)
        return _evaluated(todo, samples, spread, kept)


def _engines(model: Any, against: Any, **options: Any) -> tuple[Engine, ...]:
    """All that are asked: the model, and what stands against it."""
    asked = engine_of(model, **options)
    return (
        (asked,) if against is None else (asked, engine_of(against, other=asked.model, **options))
    )


def _identity(
    given: tuple[Any, Any, Any],
    samples: Samples,
    todo: Work,
    reading: Reading,
    *,
    operators: Mapping[str, Registration] | None,
    isa: str | None,
) -> dict[str, str]:
    """Choices that the answers depend on, in words; a file of finished chunks is bound to them."""
    model, against, front_end = given
    engines, front, source = todo.bench.engines, todo.bench.front_end, samples.data.source
    return {
        "the model": engine_identity(model, engines[0]),
        "the other model": engine_identity(against, engines[1]) if len(engines) > 1 else "none",
        "the front end": "none" if front is None else model_identity(front_end, front.model),
        "the data": source_identity(source),
        "the choice of samples": chosen_identity(samples.chosen, len(source)),
        "the task": todo.bench.task,
        "the range of pixels": "raw" if reading.pixels.raw else str(reading.pixels.range),
        "the step": str(reading.step),
        "own operators": ", ".join(sorted(operators or ())) or "none",
        "the instruction set": machine_identity(isa),
        "Arenite's version": metadata.version("arenite"),
    }


@contextmanager
def _kept(
    resume: str | os.PathLike[str] | None, identity: Mapping[str, str], todo: Work
) -> Iterator[Kept | None]:
    """The file of finished chunks, where there is one."""
    if resume is None:
        yield None
        return
    with kept_in(os.fspath(resume), identity, len(todo.source), todo.bench.rows) as kept:
        if not todo.bench.skips:
            _require_nothing_left_out(kept)
        yield kept


def _require_nothing_left_out(kept: Kept) -> None:
    for chunk in kept.chunks:
        for _, reason in chunk.answers.left_out:
            raise EvaluateError(
                f"{reason} (so says {kept.path}, whose run left such samples out; ask for "
                'on_error="skip" (--on-error skip) again, or name another file)'
            )


def _evaluated(todo: Work, samples: Samples, spread: Spread, kept: Kept | None) -> Evaluation:
    if spread.executor is None:
        for engine in todo.bench.engines:
            engine.ready()  # which is no time of a sample
    start = time.perf_counter()
    chunks, scale = _answers(todo, spread)
    seconds = time.perf_counter() - start
    left_out = _left_out(chunks, todo.source, samples.chosen)
    if len(left_out) == len(todo.source):
        raise EvaluateError(
            f"expected samples that can be read and computed, got none of {len(left_out)}; the "
            f"first: {left_out[0].reason}"
        )
    there = np.setdiff1d(np.arange(len(todo.source)), [one.place for one in left_out])
    targets, source = samples.targets.of(samples.chosen[there]), todo.source.part(there)
    scores = [
        score_of(
            engine.label,
            in_order(chunks, number),
            targets,
            samples.top_k,
            seconds=sum(one.answers.seconds[number] for one in chunks),
            latency=_latency(todo.bench, number, source) if spread.executor is None else None,
        )
        for number, engine in enumerate(todo.bench.engines)
    ]
    return Evaluation(
        data=samples.data.origin,
        task=targets.task,
        samples=len(there),
        inferences=sum(one.answers.inferences for one in chunks),
        classes=targets.classes,
        labels=targets.values,
        indices=samples.chosen[there],
        scores=tuple(scores),
        seconds=seconds,
        read_seconds=sum(one.answers.read_seconds for one in chunks),
        scale=scale,
        ignored=samples.data.ignored,
        left_out=left_out,
        better_order=_better_order(scores[0], targets),
        **_said_of_pixels(samples, todo.bench.engines[0].model),
        resumed=None if kept is None else Resumed(kept.path, todo.samples_done, kept.cut),
    )


def _better_order(score: Score, targets: Targets) -> tuple[str, ...]:
    if score.confusion is None or targets.values is None or not targets.are_named:
        return ()
    return better_order(score.confusion, targets.classes, len(targets.values))


def _said_of_pixels(samples: Samples, model: Model) -> dict[str, Any]:
    """Real numbers that pictures' bytes stood for, and what is odd about them."""
    source = samples.data.source
    for tensor, is_shown in zip(model.inputs, pictures(source, model), strict=False):
        if is_shown:
            assert isinstance(source, Arrays | Files)
            notes = tuple(dict.fromkeys(samples.odd))
            return {"pixels": pixel_words(source.pixels, tensor), "notes": notes}
    return {}


def _answers(todo: Work, spread: Spread) -> tuple[list[Chunk], Scale]:
    if spread.executor is None or todo.samples_done == len(todo.source):
        return run_here(todo)
    return run_on(spread.executor, todo, spread)


def _left_out(chunks: Sequence[Chunk], source: Source, chosen: Array) -> tuple[LeftOut, ...]:
    places = [
        (chunk.begin + place, reason)
        for chunk in chunks
        for place, reason in chunk.answers.left_out
    ]
    return tuple(
        LeftOut(place, int(chosen[place]), source.name(place), reason) for place, reason in places
    )


def _latency(bench: Bench, number: int, source: Source) -> Latency:
    few = source.part(np.arange(min(_TIMED_SAMPLES, len(source))))
    with np.errstate(all="ignore"):
        times = bench.engines[number].times(bench.fed(number, few).inputs)
    return Latency(float(np.median(times)), float(np.quantile(times, 0.9)), len(times))


def evaluation_facts(found: Evaluation) -> dict[str, Any]:
    """Everything that ``arenite evaluate`` prints; see ``docs/cli.md`` for the keys."""
    facts = {
        "data": found.data,
        "task": found.task,
        "samples": found.samples,
        "inferences": found.inferences,
        "left_out": [
            {"index": one.index, "name": one.name, "reason": one.reason} for one in found.left_out
        ],
        "spread": vars(found.scale) | {"workers": len(found.scale.workers)},
        "resumed": None if found.resumed is None else dict(vars(found.resumed)),
        "ignored": found.ignored,
        "pixels": found.pixels or None,
        "notes": list(found.notes),
        "better_order": list(found.better_order),
        "classes": list(found.classes),
        "seconds": found.seconds,
        "read_seconds": found.read_seconds,
        "samples_per_second": found.per_second,
        "engines": [_score_facts(one) for one in found.scores],
    }
    if len(found.scores) > 1:
        different = found.different()
        facts["different"] = len(different)
        facts["unequal"] = found.unequal()
        facts["first_different"] = different[:20].tolist()
    return facts


def _score_facts(one: Score) -> dict[str, Any]:
    return {
        "engine": one.label,
        "metrics": dict(one.metrics),
        "confusion": None if one.confusion is None else one.confusion.tolist(),
        "classes": [dict(vars(each)) for each in one.classes],
        "seconds": one.seconds,
        "latency": None if one.latency is None else dict(vars(one.latency)),
        "notes": list(one.notes),
    }
