"""Work on a part of the data, wherever that happens: read it, ask every engine."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from arenite.analysis.engines.listening import keeps_state
from arenite.analysis.evaluation.engines import Engine
from arenite.analysis.evaluation.metrics import squared_errors
from arenite.analysis.evaluation.samples import Fed, Source, fed_like
from arenite.analysis.evaluation.targets import Task
from arenite.errors import AreniteError, EvaluateError, PredictError
from arenite.model import Model
from arenite.model.model import Array
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import dequantized, have_one_encoding


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of the engines for some samples.

    Attributes:
        values: An array per engine: ``(n, classes)`` scores, ``(n, outputs)`` numbers, or ``(n,)``
            mean squared errors of what is like the input. Empty where all samples are left out.
        read_seconds: Time to read samples and make inputs of them.
        seconds: Time that each engine took.
        inferences: How many there were, per engine.
        left_out: Places of samples that have no values, in ascending order, and why.
    """

    values: tuple[Array, ...]
    read_seconds: float
    seconds: tuple[float, ...]
    inferences: int
    left_out: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Bench:
    """Engines next to each other, and what makes features of sound for them.

    It can be pickled where its engines can. ``skips`` leaves samples out that cannot be read or
    computed.
    """

    engines: tuple[Engine, ...]
    task: Task
    front_end: Interpreter | None = None
    skips: bool = False

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """The shape of a sample's values, engine by engine."""
        if self.task == "anomaly":
            return ((),) * len(self.engines)
        return tuple((engine.model.outputs[0].size,) for engine in self.engines)

    def answers(self, source: Source) -> Answers:
        """Ask every engine.

        Raises:
            AreniteError, OSError: A sample cannot be read, or fails, and is not left out.
        """
        for engine in self.engines:
            engine.ready()  # what fails here is no fault of a sample
        with np.errstate(all="ignore"):  # as on the device, NaN and overflow are results
            return self._most(source) if self.skips else self._all(source)

    def _most(self, source: Source) -> Answers:
        """All but the samples that fail, which halving finds."""
        try:
            return self._all(source)
        except (AreniteError, OSError) as error:
            if len(source) == 1:
                none = (0.0,) * len(self.engines)
                return Answers((), 0.0, none, 0, ((0, reason_of(error)),))
        half = len(source) // 2
        first = self._most(source.part(np.arange(half)))
        return _joined(first, self._most(source.part(np.arange(half, len(source)))), half)

    def _all(self, source: Source) -> Answers:
        values, seconds, read = [], [], 0.0
        fed: dict[int, Fed] = {}
        for number, engine in enumerate(self.engines):
            start = time.perf_counter()
            like = self._like(number)
            if like not in fed:
                fed[like] = self.fed(number, source, fed.get(0))
            between = time.perf_counter()
            outputs = self._outputs(engine, fed[like], source)
            end = time.perf_counter()
            read += between - start
            seconds.append(end - between)
            values.append(self._values(engine, fed[like], outputs))
        return Answers(tuple(values), read, tuple(seconds), len(fed[0].inputs[0]))

    def fed(self, number: int, source: Source, first: Fed | None = None) -> Fed:
        """Inputs of an engine for samples: those of all engines stand for the same real numbers.

        Args:
            number: Of the engine.
            source: The samples.
            first: What the first engine is given, where it is known already.

        Raises:
            AreniteError, OSError: A sample cannot be read, or does not fit.
        """
        model, others = self.engines[number].model, self.engines[0].model

        def own() -> Fed:
            return source.feed(model, self.front_end)

        shapes = [[tensor.shape for tensor in one.inputs] for one in (model, others)]
        if not number or shapes[0] != shapes[1]:
            return own()
        if first is None:
            first = source.feed(others, self.front_end)
        return fed_like(others, first, source, model, own)

    def _like(self, number: int) -> int:
        """The first engine whose model takes the same."""
        model = self.engines[number].model
        return next(n for n, one in enumerate(self.engines) if _take_the_same(one.model, model))

    def _outputs(self, engine: Engine, fed: Fed, source: Source) -> Array:
        try:
            return engine.outputs(fed.inputs, fed.counts)
        except PredictError as error:
            counts = np.ones(len(source), int) if fed.counts is None else fed.counts
            index = int(np.searchsorted(np.cumsum(counts), error.index, side="right"))
            reason = str(error).partition(": ")[2]
            raise EvaluateError(f"{source.name(index)}: {engine.label}: {reason}") from error

    def _values(self, engine: Engine, fed: Fed, outputs: Array) -> Array:
        if self.task == "anomaly":
            reals = fed.inputs[0]
            if reals.dtype.kind != "f":
                reals = dequantized(engine.fitted(fed.inputs)[0], engine.model.inputs[0])
            return _pooled(squared_errors(reals, outputs), fed.counts, by_largest=False)
        flat = outputs.reshape(len(outputs), -1)
        is_score = self.task == "classify" and flat.shape[1] == 1
        return _pooled(flat, fed.counts, by_largest=is_score)


def reason_of(error: BaseException) -> str:
    """An error in one line."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(text.split()) or type(error).__name__


def _joined(a: Answers, b: Answers, begin: int) -> Answers:
    """Answers to samples in a row, of which those of ``b`` begin at ``begin``."""
    pairs = zip(a.values, b.values, strict=True) if a.values and b.values else ()
    return Answers(
        tuple(np.concatenate(pair) for pair in pairs) or a.values or b.values,
        a.read_seconds + b.read_seconds,
        tuple(x + y for x, y in zip(a.seconds, b.seconds, strict=True)),
        a.inferences + b.inferences,
        a.left_out + tuple((begin + place, why) for place, why in b.left_out),
    )


def _pooled(values: Array, counts: Array | None, *, by_largest: bool) -> Array:
    """One row per sample, of those of its inferences: their mean, or the largest.

    TFLM's ``RecognizeCommands`` takes means of scores over time; a single score is high only
    while what it is for goes on, so that its largest counts.
    """
    if counts is None or not len(counts):
        return values
    starts = np.cumsum(counts) - counts
    if by_largest:
        largest: Array = np.maximum.reduceat(values, starts, axis=0)
        return largest
    sums: Array = np.add.reduceat(values.astype(np.float64), starts, axis=0)
    return sums / counts.reshape(-1, *[1] * (sums.ndim - 1))


def _take_the_same(a: Model, b: Model) -> bool:
    """Whether both models are given the same values of samples."""
    if a is b:
        return True
    if len(a.inputs) != len(b.inputs) or keeps_state(a) != keeps_state(b):
        return False
    pairs = zip(a.inputs, b.inputs, strict=True)
    return all(x.shape == y.shape and have_one_encoding(x, y) for x, y in pairs)
