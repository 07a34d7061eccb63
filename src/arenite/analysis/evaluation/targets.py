"""Expected answers of samples: classes, numbers, or whether they are anomalies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from arenite.analysis.inputs.arrays import read_labels
from arenite.errors import EvaluateError
from arenite.model import Model, Tensor
from arenite.model.model import Array, tensor_text
from arenite.model.text import printable

Task = Literal["classify", "regress", "anomaly"]
TASKS: tuple[str, ...] = get_args(Task)

#: How folders of what is no anomaly are called.
_NORMAL = ("normal", "good", "ok", "healthy")
_SHOWN = 6
#: Integers of so many digits have at most 64 bits.
_DIGITS = 18


@dataclass(frozen=True, eq=False)
class Targets:
    """Expected answers.

    Attributes:
        task: What the model is for.
        values: ``(n,)`` classes; ``(n, outputs)`` real numbers; 1 for anomalies and 0 for others.
            None where nothing is known.
        classes: Names of the classes.
        are_named: Whether the data name their classes, so that somebody said which output each is.
    """

    task: Task
    values: Array | None
    classes: tuple[str, ...] = ()
    are_named: bool = False

    def of(self, indices: Array) -> Targets:
        """Those of some samples."""
        return replace(self, values=None if self.values is None else self.values[indices])


@dataclass(frozen=True)
class Scoring:
    """Right answers, and what counts as one.

    Attributes:
        task: ``"classify"``, ``"regress"`` (y holds the real numbers that shall come out) or
            ``"anomaly"`` (the mean squared error between input and output tells anomalies, as in
            MLPerf Tiny); by default integers and names are classes, real numbers are what shall
            come out, and a model whose output is like its input finds anomalies.
        labels: Names of the classes in the outputs' order, or a file with one per line. By
            default folders' names, sorted.
        positive: The class of anomalies; by default 1, or what is not called normal.
        top_k: For which k the right class shall be among the first k; equal scores by index.
    """

    task: Task | None = None
    labels: str | os.PathLike[str] | Sequence[str] = ()
    positive: str | int | None = None
    top_k: int | Sequence[int] = (5,)

    @property
    def names(self) -> list[str]:
        """Names of the classes; none where data or model have them."""
        if isinstance(self.labels, str | os.PathLike):
            return list(read_labels(Path(self.labels)))
        return list(self.labels)

    @property
    def ks(self) -> list[int]:
        """All k."""
        return [self.top_k] if isinstance(self.top_k, int) else list(self.top_k)


def targets_of(labels: Array | None, model: Model, scoring: Scoring) -> Targets:
    """Labels of data as classes of a model's first output, or what else they are.

    Args:
        labels: ``(n,)`` names or integers, real numbers, one row of zeros and a one per sample
            (for classes); or None.
        model: The model.
        scoring: What the model is for, and how its classes are called.

    Raises:
        EvaluateError: Labels and output do not fit together.
    """
    if not model.outputs:
        raise EvaluateError("expected a model with an output")
    names, task = scoring.names, scoring.task
    if task is not None and task not in TASKS:
        raise ValueError(f"expected a task of {', '.join(TASKS)}, got {task!r}")
    found = task or _task(labels, model)
    if found == "anomaly":
        return _anomalies(labels, model, names, scoring.positive)
    if labels is None:
        raise EvaluateError("expected labels with the data, got none")
    if found == "regress":
        return Targets("regress", _numbers(labels, model.outputs[0]))
    return _classes(labels, model.outputs[0], names)


def _task(labels: Array | None, model: Model) -> Task:
    like_input = len(model.inputs) == 1 and model.inputs[0].size == model.outputs[0].size > 1
    if labels is not None and labels.dtype.kind == "f" and not _is_one_hot(labels):
        return "regress"
    return "anomaly" if like_input else "classify"


def _is_one_hot(labels: Array) -> bool:
    if labels.ndim != 2 or labels.shape[1] < 2 or labels.dtype.kind not in "biuf":
        return False
    return bool(np.isin(labels, (0, 1)).all() and (labels.sum(axis=1) == 1).all())


# -- classes -----------------------------------------------------------------------------


def _classes(labels: Array, output: Tensor, names: Sequence[str]) -> Targets:
    count = max(output.size, 2)  # one score is for the second of two classes
    long_axes = sum(n > 1 for n in output.shape)
    if long_axes > 1:
        raise EvaluateError(
            f"expected one score per class, got output {printable(output.name)!r} "
            f'({tensor_text(output)}); is this no task="classify"?'
        )
    names = tuple(names)
    if names and len(names) != count:
        raise EvaluateError(_mismatch("labels", count, output, names))
    if labels.ndim == 2 and labels.shape[1] == output.size and _is_one_hot(labels):
        labels = labels.argmax(axis=1)
    if labels.dtype.kind == "U":
        return _named(labels, count, output, names)
    values = _integers(labels, count)
    return Targets("classify", values, names or tuple(map(str, range(count))))


def _named(labels: Array, count: int, output: Tensor, names: tuple[str, ...]) -> Targets:
    present = [str(name) for name in np.unique(labels)]
    if not names and all(name.isdecimal() for name in present):
        values = _integers(_parsed(labels, count), count)
        return Targets("classify", values, tuple(map(str, range(count))))
    if not names:
        names = tuple(present)
        if len(names) != count:
            advice = "; say what the outputs mean with labels= (--labels FILE)"
            raise EvaluateError(_mismatch("classes", count, output, names) + advice)
    places = _places(names)
    unknown = [name for name in present if name not in places]
    if unknown:
        raise EvaluateError(
            f"expected classes of the labels {_few(names)}, got {printable(unknown[0])!r}"
        )
    values = np.array([places[str(name)] for name in labels])
    return Targets("classify", values, names, are_named=True)


def _parsed(labels: Array, count: int) -> Array:
    """Names that are numbers; those of over 64 bits are no class anyway."""
    wide = np.flatnonzero(np.char.str_len(np.char.lstrip(labels, "0")) > _DIGITS)
    if len(wide):
        raise EvaluateError(
            f"y[{wide[0]}]: expected a class from 0 to {count - 1}, got {labels[wide[0]]}"
        )
    return labels.astype(np.int64)


def _places(names: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for index, name in enumerate(names):
        if places.setdefault(name, index) != index:
            raise EvaluateError(
                f"expected every label once, got {printable(name)!r} as {places[name]} and {index}"
            )
    return places


def _mismatch(what: str, count: int, output: Tensor, names: Sequence[str]) -> str:
    of = f"one per value of output {printable(output.name)!r} ({tensor_text(output)})"
    if output.size == 1:
        of = f"without and with what output {printable(output.name)!r} is the score of"
    return f"expected {count} {what}, {of}, got {len(names)}: {_few(names)}"


def _few(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _SHOWN else ""
    return ", ".join(map(printable, names[:_SHOWN])) + more


def _integers(labels: Array, count: int) -> Array:
    """Classes as integers in their range."""
    flat = labels.reshape(len(labels), -1)
    if flat.shape[1] != 1 or flat.dtype.kind not in "biuf":
        raise EvaluateError(
            f"y: expected one class per sample, got {labels.dtype}{list(labels.shape)}"
        )
    values = flat[:, 0]
    wrong = np.flatnonzero(~((values >= 0) & (values < count) & (values == np.floor(values))))
    if len(wrong):
        raise EvaluateError(
            f"y[{wrong[0]}]: expected a class from 0 to {count - 1}, got {values[wrong[0]]}"
        )
    return values.astype(np.int64)


# -- numbers, anomalies ------------------------------------------------------------------


def _numbers(labels: Array, output: Tensor) -> Array:
    flat = labels.reshape(len(labels), -1)
    if flat.dtype.kind not in "biuf" or flat.shape[1] != output.size:
        raise EvaluateError(
            f"y: expected {output.size} numbers per sample, one per value of output "
            f"{printable(output.name)!r} ({tensor_text(output)}), got "
            f"{labels.dtype}{list(labels.shape)}"
        )
    values = flat.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        raise EvaluateError(f"y[{wrong[0]}]: expected finite numbers, got {values[wrong[0]]}")
    return values


def _anomalies(
    labels: Array | None, model: Model, names: Sequence[str], positive: str | int | None
) -> Targets:
    output = model.outputs[0]
    if len(model.inputs) != 1 or model.inputs[0].size != output.size:
        raise EvaluateError(
            f"expected a model whose output is like its input, got {tensor_text(output)} for "
            f"{', '.join(map(tensor_text, model.inputs))}"
        )
    classes = ("normal", "anomaly")
    if labels is None:
        return Targets("anomaly", None, classes)
    if labels.dtype.kind != "U":
        values = _integers(labels, 2 if positive is None else len(names) or 1 << 31)
        return Targets("anomaly", (values == (1 if positive is None else positive)) * 1, classes)
    present = [str(name) for name in np.unique(labels)]
    normal = [name for name in present if name.lower() in _NORMAL]
    if positive is None and len(normal) != 1:
        raise EvaluateError(
            f"expected to be told which of {_few(present)} are anomalies: positive= (--positive)"
        )
    wanted = labels != normal[0] if positive is None else labels == str(positive)
    if positive is not None and not wanted.any():
        raise EvaluateError(f"expected anomalies called {positive!r}, got {_few(present)}")
    return Targets("anomaly", wanted * 1, classes)
