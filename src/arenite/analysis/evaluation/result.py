"""Results of an evaluation, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.analysis.evaluation.chunks import Scale
from arenite.analysis.evaluation.metrics import (
    class_aucs,
    confusion,
    predictions,
    ranks,
    regression,
    roc_auc,
    shares,
)
from arenite.analysis.evaluation.targets import Targets, Task
from arenite.callable_modules import html_of
from arenite.errors import EvaluateError
from arenite.model.model import Array

#: A single score from here on is the second class.
THRESHOLD = 0.5


@dataclass(frozen=True)
class ClassScore:
    """A class: its samples, how many were found, how many of those called so are, its ROC AUC.

    NaN where there is nothing to divide by, and for the AUC where scikit-learn is missing.
    """

    name: str
    samples: int
    recall: float
    precision: float
    auc: float


@dataclass(frozen=True)
class Latency:
    """Times of single calls, in seconds."""

    median: float
    p90: float
    calls: int


@dataclass(frozen=True, eq=False)
class Score:
    """Worth of one engine's answers.

    Attributes:
        label: The engine.
        metrics: By name: ``accuracy``, ``top-3``, ``balanced accuracy``, ``auc``; ``mse``, ``mae``,
            ``max error``, ``r2``; ``mse``, ``mse normal``, ``mse anomaly``, ``auc``.
        values: All answers: ``(n, classes)`` scores, ``(n, outputs)`` numbers, or ``(n,)`` squared
            errors.
        predicted: ``(n,)`` classes, -1 where every score is NaN; None for other tasks.
        confusion: ``(classes, classes)`` counts, a row per right class; None for other tasks.
        classes: Class by class.
        seconds: Time in the engine, of all workers.
        latency: Of single calls, where they were timed.
        notes: What is missing, and why.
    """

    label: str
    metrics: dict[str, float]
    values: Array
    predicted: Array | None = None
    confusion: Array | None = None
    classes: tuple[ClassScore, ...] = ()
    seconds: float = 0.0
    latency: Latency | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Score {self.label}: {in_words(self.metrics)}>"


def in_words(metrics: dict[str, float]) -> str:
    """``accuracy 0.9972, auc 0.99999``."""
    return ", ".join(f"{name} {value:.6g}" for name, value in metrics.items())


@dataclass(frozen=True)
class LeftOut:
    """A sample that could not be read or computed.

    Attributes:
        place: Among the samples that were taken.
        index: In the data.
        name: The file, or ``sample 17``.
        reason: What was wrong with it.
    """

    place: int
    index: int
    name: str
    reason: str


@dataclass(frozen=True)
class Resumed:
    """The file of finished chunks, which holds all of them now.

    Attributes:
        file: The file.
        samples: How many were in it before this run.
        cut: Bytes at its end that were no whole chunk, as a killed run leaves them.
    """

    file: str
    samples: int
    cut: int


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of a model on data, and of others next to it.

    Attributes:
        data: Where the samples are from.
        task: ``"classify"``, ``"regress"`` or ``"anomaly"``.
        samples: How many the scores are of.
        inferences: How many it took, per engine.
        classes: Their names.
        labels: What was expected, see :class:`Targets`.
        indices: The samples' places in the data.
        scores: One per engine: the model's first.
        seconds: Time of this run's samples: reading and all engines, from first to last.
        read_seconds: Time to read samples, of all workers.
        scale: How the work was spread.
        ignored: Files in class folders that are neither pictures nor sounds.
        left_out: Samples that could not be read or computed.
        resumed: The file that finished chunks are kept in, or None.
        pixels: The real numbers that pictures' bytes stood for, in words; empty without pictures.
        notes: What is odd about them.
        better_order: The classes in another order of the outputs that fits much better; empty
            where there is none, or the data do not name them.
    """

    data: str
    task: Task
    samples: int
    inferences: int
    classes: tuple[str, ...]
    labels: Array | None
    indices: Array
    scores: tuple[Score, ...]
    seconds: float
    read_seconds: float
    scale: Scale
    ignored: int = 0
    left_out: tuple[LeftOut, ...] = ()
    resumed: Resumed | None = None
    pixels: str = ""
    notes: tuple[str, ...] = ()
    better_order: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A row per engine, as ``pandas.DataFrame`` takes them: its metrics and its seconds."""
        return [{"engine": one.label, **one.metrics, "seconds": one.seconds} for one in self.scores]

    _repr_html_ = html_of

    @property
    def score(self) -> Score:
        """The model's own."""
        return self.scores[0]

    @property
    def metrics(self) -> dict[str, float]:
        """The model's: see :class:`Score`."""
        return self.score.metrics

    @property
    def accuracy(self) -> float:
        """The share of samples whose class is right."""
        return self._metric("accuracy")

    @property
    def auc(self) -> float:
        """ROC AUC: of the second of two classes, or the mean of all classes against the others."""
        return self._metric("auc")

    @property
    def mse(self) -> float:
        """Mean squared error."""
        return self._metric("mse")

    @property
    def confusion(self) -> Array | None:
        """Counts, a row per right class, a column per predicted one."""
        return self.score.confusion

    @property
    def per_second(self) -> float:
        """This run's samples in a second of ``seconds``; NaN if a file had all of them."""
        before = 0 if self.resumed is None else self.resumed.samples
        done = self.samples + len(self.left_out) - before
        return done / max(self.seconds, 1e-9) if done else float("nan")

    def _metric(self, name: str) -> float:
        if name in self.metrics:
            return self.metrics[name]
        reason = "; ".join(self.score.notes) or f"there is none for task={self.task!r}"
        raise EvaluateError(f"{name}: {reason}")

    @property
    def better_accuracy(self) -> float:
        """The accuracy with the classes in ``better_order``; NaN where there is none."""
        counts = self.confusion
        if counts is None or not self.better_order:
            return float("nan")
        rows = [self.classes.index(name) for name in self.better_order]
        return float(counts[rows, np.arange(len(rows))].sum() / self.samples)

    def different(self, other: int = 1) -> Array:
        """Indices in the data of the samples that another engine decides otherwise.

        It is another class, or, for other tasks, another number.
        """
        a, b = self.scores[0], self.scores[other]
        if a.predicted is not None and b.predicted is not None:
            return np.asarray(self.indices[a.predicted != b.predicted])
        return np.asarray(self.indices[_differ(a.values, b.values)])

    def unequal(self, other: int = 1) -> int:
        """The number of samples with any number that is not the same with another engine."""
        return int(_differ(self.scores[0].values, self.scores[other].values).sum())

    def __repr__(self) -> str:
        each = "; ".join(f"{one.label}: {in_words(one.metrics)}" for one in self.scores)
        return f"<Evaluation of {self.samples} samples of {self.data}: {each}>"


def _differ(a: Array, b: Array) -> Array:
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.asarray(~same.reshape(len(a), -1).all(axis=1))


def score_of(
    label: str,
    values: Array,
    targets: Targets,
    top_k: Sequence[int],
    *,
    seconds: float = 0.0,
    latency: Latency | None = None,
) -> Score:
    """The metrics of an engine's answers; see :class:`Score`.

    Raises:
        EvaluateError: An output has another shape than the first engine's.
    """
    common: dict[str, Any] = {
        "label": label,
        "values": values,
        "seconds": seconds,
        "latency": latency,
    }
    match targets.task:
        case "classify":
            return _classes(common, values, targets, top_k)
        case "regress":
            assert targets.values is not None
            if values.shape != targets.values.shape:
                raise EvaluateError(
                    f"{label}: expected {targets.values.shape[1]} outputs, got {values.shape[1]}"
                )
            return Score(**common, metrics=regression(targets.values, values))
    return _anomalies(common, values, targets)


def _classes(
    common: dict[str, Any], scores: Array, targets: Targets, top_k: Sequence[int]
) -> Score:
    labels, count = targets.values, len(targets.classes)
    assert labels is not None
    if max(scores.shape[1], 2) != count:
        raise EvaluateError(f"{common['label']}: expected {count} scores, got {scores.shape[1]}")
    if scores.shape[1] == 1:
        lost = np.isnan(scores[:, 0])
        predicted = np.where(lost, -1, scores[:, 0] >= THRESHOLD)
        places = np.where(predicted == labels, 0, 1)
    else:
        predicted, places = predictions(scores), ranks(scores, labels)
    counts = confusion(labels, predicted, count)
    per_class = np.bincount(labels, minlength=count)
    recall = shares(np.diag(counts), per_class)
    metrics = {"accuracy": float((places == 0).mean())}
    metrics |= {f"top-{k}": float((places < k).mean()) for k in top_k if 1 < k < count}
    metrics["balanced accuracy"] = float(recall[per_class > 0].mean())
    aucs, notes = _aucs(scores, labels, metrics)
    if (lost_samples := int((predicted < 0).sum())) > 0:
        notes += (f"{lost_samples} samples have no score but NaN; they count as wrong",)
    rows = zip(
        targets.classes,
        per_class.tolist(),
        recall.tolist(),
        shares(np.diag(counts), counts.sum(axis=0)).tolist(),
        aucs.tolist() if aucs is not None else [float("nan")] * count,
        strict=True,
    )
    return Score(
        **common,
        metrics=metrics,
        predicted=predicted,
        confusion=counts,
        classes=tuple(ClassScore(*row) for row in rows),
        notes=notes,
    )


def _aucs(
    scores: Array, labels: Array, metrics: dict[str, float]
) -> tuple[Array | None, tuple[str, ...]]:
    """Per class; puts their mean, or that of the second of two classes, among the metrics."""
    try:
        if scores.shape[1] == 1:
            metrics["auc"] = roc_auc(labels == 1, scores[:, 0])
            return np.full(2, metrics["auc"]), ()
        found = class_aucs(labels, scores)
    except EvaluateError as error:
        return None, (str(error),)
    there = ~np.isnan(found)
    if not there.any():
        return found, ("ROC AUC needs samples of two classes",)
    metrics["auc"] = float(found[1] if len(found) == 2 else found[there].mean())
    if there.all():
        return found, ()
    return found, (f"ROC AUC is the mean of {there.sum()} classes: the others have no samples",)


def _anomalies(common: dict[str, Any], errors: Array, targets: Targets) -> Score:
    metrics = {"mse": float(errors.mean())}
    notes: tuple[str, ...] = ()
    if targets.values is not None:
        for number, name in enumerate(targets.classes):
            chosen = errors[targets.values == number]
            if len(chosen):
                metrics[f"mse {name}"] = float(chosen.mean())
        try:
            metrics["auc"] = roc_auc(targets.values == 1, errors)
        except EvaluateError as error:
            notes = (str(error),)
    return Score(**common, metrics=metrics, notes=notes)
