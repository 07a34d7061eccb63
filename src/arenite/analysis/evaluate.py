"""How good a model is on data: accuracy, confusions, ROC AUC, errors, times."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arenite.analysis.evaluation.bench import Bench
from arenite.analysis.evaluation.chunks import (
    Progress,
    Scale,
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
from arenite.analysis.evaluation.result import (
    Evaluation,
    Latency,
    LeftOut,
    Resumed,
    Score,
    score_of,
)
from arenite.analysis.evaluation.samples import Source
from arenite.analysis.evaluation.targets import Targets, Task, targets_of
from arenite.analysis.inputs.arrays import read_labels
from arenite.analysis.inputs.values import Pixels
from arenite.errors import EvaluateError
from arenite.formats import Source as ModelSource
from arenite.formats import load
from arenite.model import Model
from arenite.model.model import Array
from arenite.ops import Registration
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.interpreter_config import Engine as EngineName
from arenite.target import Target

_TOP_K = (5,)
#: Single calls are timed with so many samples.
_TIMED_SAMPLES = 32

OnError = Literal["raise", "skip"]
#: An executor, or a function that makes one.
Executing = Executor | Callable[[], Executor]
DataLike = str | os.PathLike[str] | tuple[Any, npt.ArrayLike | None]


@dataclass(frozen=True)
class Spread:
    """How work goes to an executor: see :func:`evaluate`."""

    executor: Executing | None
    workers: int | None
    retries: int
    timeout: float | None


@dataclass(frozen=True, eq=False)
class Samples:
    """What is evaluated: data, which of them, and what they should give."""

    data: Data
    chosen: Array
    targets: Targets
    top_k: Sequence[int]


def evaluate(
    model: Any,
    data: DataLike,
    *,
    against: Any = None,
    target: Target | str | None = None,
    engine: EngineName = "auto",
    isa: str | None = None,
    threads: int = 1,
    task: Task | None = None,
    labels: str | os.PathLike[str] | Sequence[str] = (),
    positive: str | int | None = None,
    top_k: int | Sequence[int] = _TOP_K,
    limit: int | None = None,
    seed: int = 0,
    x: str | None = None,
    y: str | None = None,
    pixel_range: tuple[float, float] | None = None,
    raw_pixels: bool = False,
    front_end: Model | ModelSource | None = None,
    step: float | None = None,
    operators: Mapping[str, Registration] | None = None,
    executor: Executing | None = None,
    workers: int | None = None,
    chunk: int | None = None,
    retries: int = 2,
    timeout: float | None = None,
    progress: Progress | None = None,
    on_error: OnError = "raise",
    resume: str | os.PathLike[str] | None = None,
) -> Evaluation:
    """Run a model on data and compare what it says with what is right.

    >>> found = evaluate("digits.tflite", (images, labels))        # doctest: +SKIP
    >>> found.accuracy, found.auc, found.confusion                 # doctest: +SKIP
    >>> evaluate("vww.tflite", "val/", against="@litert")          # doctest: +SKIP

    Samples are read chunk by chunk. A model with state starts anew with each.

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
        task: ``"classify"``, ``"regress"`` (y holds the real numbers that shall come out) or
            ``"anomaly"`` (the mean squared error between input and output tells anomalies, as in
            MLPerf Tiny); by default what data and model are like.
        labels: Names of the classes in the outputs' order, or a file with one per line. By
            default folders' names, sorted.
        positive: The class of anomalies; by default 1, or what is not called normal.
        top_k: For which k the right class shall be among the first k; equal scores by index.
        limit: At most so many samples, chosen at random.
        seed: Of that choice.
        x: The array of samples in a ``.npz``, or the column of paths.
        y: The array or column of labels.
        pixel_range: What pixels 0 and 255 stand for.
        raw_pixels: Whether pictures' bytes are the input's values.
        front_end: What makes features of windows of sound.
        step: Milliseconds from one window to the next.
        operators: Registrations that Arenite lacks, for models in files: see :func:`arenite.load`.
        executor: Any ``concurrent.futures.Executor``: a pool of processes, Dask's
            ``Client.get_executor()``, mpi4py's. Models travel once per worker; files must be found
            under the same paths there. Single calls are not timed. A function that makes one is
            called again where one is broken, by a worker that was killed, say; what it makes is
            the caller's to close.
        workers: How many work at once; by default what the executor says.
        chunk: Samples that are done at once; by default as many as half a second takes. The scores
            are the same for any.
        retries: How often what the executor lost is handed in again.
        timeout: Seconds without an answer after which what is out counts as lost.
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
    names = read_labels(Path(labels)) if isinstance(labels, str | os.PathLike) else list(labels)
    common: dict[str, Any] = {"threads": threads, "target": target, "engine": engine, "isa": isa}
    common["operators"] = operators
    asked = engine_of(model, **common)
    engines = [asked]
    if against is not None:
        engines.append(engine_of(against, other=asked.model, **common))
    reading = Reading(Pixels(pixel_range, raw_pixels), step, x, y)
    given = data_of(data, asked.model, reading)
    targets = targets_of(given.labels, asked.model, names, task, positive)
    front = None
    if front_end is not None:
        made = front_end if isinstance(front_end, Model) else load(front_end, operators=operators)
        front = Interpreter(made, target=target, engine=engine, isa=isa)
    bench = Bench(tuple(engines), targets.task, front, on_error == "skip")
    ks = [top_k] if isinstance(top_k, int) else list(top_k)
    samples = Samples(given, _chosen(len(given.source), limit, seed), targets, ks)
    todo = Work(bench, given.source.part(samples.chosen), chunk=chunk, progress=progress)
    identity = {}
    if resume is not None:
        given_models = (model, against, front_end)
        identity = _identity(given_models, samples, todo, reading, operators=operators, isa=isa)
    with _kept(resume, identity, todo) as kept:
        if kept is not None:
            todo = replace(todo, done=kept.chunks, keep=kept.add)
        return _evaluated(todo, samples, Spread(executor, workers, retries, timeout), kept)


def _chosen(count: int, limit: int | None, seed: int) -> Array:
    """Indices of the samples that are taken, in order."""
    if limit is None or limit >= count:
        return np.arange(count)
    if limit < 1:
        raise ValueError(f"expected a limit of at least 1 sample, got {limit}")
    return np.sort(np.random.default_rng(seed).choice(count, limit, replace=False))


def _identity(
    given: tuple[Any, Any, Any],
    samples: Samples,
    todo: Work,
    reading: Reading,
    *,
    operators: Mapping[str, Registration] | None,
    isa: str | None,
) -> dict[str, str]:
    """What the answers depend on, in words; a file of finished chunks is bound to it."""
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
    front_end = todo.bench.front_end
    scores = [
        score_of(
            engine.label,
            in_order(chunks, number),
            targets,
            samples.top_k,
            seconds=sum(one.answers.seconds[number] for one in chunks),
            latency=_latency(engine, source, front_end) if spread.executor is None else None,
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
        resumed=None if kept is None else Resumed(kept.path, todo.samples_done, kept.cut),
    )


def _answers(todo: Work, spread: Spread) -> tuple[list[Chunk], Scale]:
    if spread.executor is None or todo.samples_done == len(todo.source):
        return run_here(todo)
    return run_on(
        spread.executor,
        todo,
        workers=spread.workers,
        retries=spread.retries,
        timeout=spread.timeout,
    )


def _left_out(chunks: Sequence[Chunk], source: Source, chosen: Array) -> tuple[LeftOut, ...]:
    places = [
        (chunk.begin + place, reason)
        for chunk in chunks
        for place, reason in chunk.answers.left_out
    ]
    return tuple(
        LeftOut(place, int(chosen[place]), source.name(place), reason) for place, reason in places
    )


def _latency(engine: Engine, source: Source, front_end: Interpreter | None) -> Latency:
    few = source.part(np.arange(min(_TIMED_SAMPLES, len(source))))
    with np.errstate(all="ignore"):
        times = engine.times(few.feed(engine.model, front_end).inputs)
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
