"""How good a model is on data: accuracy, confusions, ROC AUC, errors, times."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.analysis.evaluation.bench import Answers, Bench
from arenite.analysis.evaluation.chunks import Progress, Scale, in_order, run_here, run_on
from arenite.analysis.evaluation.data import Data, Reading, data_of
from arenite.analysis.evaluation.engines import Engine, engine_of
from arenite.analysis.evaluation.result import Evaluation, Latency, Score, score_of
from arenite.analysis.evaluation.samples import Source
from arenite.analysis.evaluation.targets import Targets, Task, targets_of
from arenite.analysis.inputs.arrays import read_labels
from arenite.analysis.inputs.values import Pixels
from arenite.formats import Source as ModelSource
from arenite.formats import load
from arenite.model import Model
from arenite.model.model import Array
from arenite.ops import Registration
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.setup import Engine as EngineName
from arenite.target import Target

_TOP_K = (5,)
#: Single calls are timed with so many samples.
_TIMED_SAMPLES = 32

DataLike = str | os.PathLike[str] | tuple[Any, npt.ArrayLike | None]


@dataclass(frozen=True)
class Spread:
    """How work goes to an executor: see :func:`evaluate`."""

    executor: Executor | None
    workers: int | None
    chunk: int | None
    retries: int
    timeout: float | None


def evaluate(
    model: Any,
    data: DataLike,
    *,
    against: Any = None,
    target: Target | str | None = None,
    engine: EngineName = "auto",
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
    executor: Executor | None = None,
    workers: int | None = None,
    chunk: int | None = None,
    retries: int = 2,
    timeout: float | None = None,
    progress: Progress | None = None,
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
            under the same paths there. Single calls are not timed.
        workers: How many work at once; by default what the executor says.
        chunk: Samples that a worker gets at once.
        retries: How often what the executor lost is handed in again.
        timeout: Seconds without an answer after which what is out counts as lost.
        progress: Called with samples done and in all.

    Raises:
        EvaluateError: Data and model do not fit together, or the executor lost work.
        InputError, ShapeError, DTypeError: A sample is broken or does not fit.
        ModelError, UnsupportedOperatorError, ConstraintError, CompareError: A model does not run.
        OSError: A file cannot be read.
    """
    names = read_labels(Path(labels)) if isinstance(labels, str | os.PathLike) else list(labels)
    common: dict[str, Any] = {"threads": threads, "target": target, "engine": engine}
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
        front = Interpreter(made, target=target, engine=engine)
    spread = Spread(executor, workers, chunk, retries, timeout)
    chosen = _chosen(len(given.source), limit, seed)
    some = targets.of(chosen)
    bench = Bench(tuple(engines), targets.task, front)
    ks = [top_k] if isinstance(top_k, int) else list(top_k)
    return _evaluated(bench, given, chosen, some, top_k=ks, spread=spread, progress=progress)


def _chosen(count: int, limit: int | None, seed: int) -> Array:
    """Indices of the samples that are taken, in order."""
    if limit is None or limit >= count:
        return np.arange(count)
    if limit < 1:
        raise ValueError(f"expected a limit of at least 1 sample, got {limit}")
    return np.sort(np.random.default_rng(seed).choice(count, limit, replace=False))


def _evaluated(
    bench: Bench,
    data: Data,
    chosen: Array,
    targets: Targets,
    *,
    top_k: Sequence[int],
    spread: Spread,
    progress: Progress | None,
) -> Evaluation:
    source = data.source.part(chosen)
    start = time.perf_counter()
    answers, scale = _answers(bench, source, spread, progress)
    seconds = time.perf_counter() - start
    is_here = spread.executor is None
    scores = [
        score_of(
            engine.label,
            in_order(answers, number),
            targets,
            top_k,
            seconds=sum(one.seconds[number] for one in answers),
            latency=_latency(engine, source, bench.front_end) if is_here else None,
        )
        for number, engine in enumerate(bench.engines)
    ]
    return Evaluation(
        data=data.origin,
        task=targets.task,
        samples=len(chosen),
        inferences=sum(one.inferences for one in answers),
        classes=targets.classes,
        labels=targets.values,
        indices=chosen,
        scores=tuple(scores),
        seconds=seconds,
        read_seconds=sum(one.read_seconds for one in answers),
        scale=scale,
        ignored=data.ignored,
    )


def _answers(
    bench: Bench, source: Source, spread: Spread, progress: Progress | None
) -> tuple[list[Answers], Scale]:
    if spread.executor is None:
        return run_here(bench, source, progress)
    return run_on(
        spread.executor,
        bench,
        source,
        workers=spread.workers,
        chunk=spread.chunk,
        retries=spread.retries,
        timeout=spread.timeout,
        progress=progress,
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
        "ignored": found.ignored,
        "classes": list(found.classes),
        "seconds": found.seconds,
        "read_seconds": found.read_seconds,
        "samples_per_second": found.per_second,
        "engines": [_score_facts(one, found.samples) for one in found.scores],
    }
    if len(found.scores) > 1:
        different = found.different()
        facts["different"] = len(different)
        facts["unequal"] = found.unequal()
        facts["first_different"] = different[:20].tolist()
    return facts


def _score_facts(one: Score, samples: int) -> dict[str, Any]:
    return {
        "engine": one.label,
        "metrics": dict(one.metrics),
        "confusion": None if one.confusion is None else one.confusion.tolist(),
        "classes": [dict(vars(each)) for each in one.classes],
        "seconds": one.seconds,
        "samples_per_second": samples / max(one.seconds, 1e-9),
        "latency": None if one.latency is None else dict(vars(one.latency)),
        "notes": list(one.notes),
    }
