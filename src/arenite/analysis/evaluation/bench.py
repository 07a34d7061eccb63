"""What is done with a part of the data, wherever that happens: read it, ask every engine."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from arenite.analysis.evaluation.engines import Engine
from arenite.analysis.evaluation.metrics import squared_errors
from arenite.analysis.evaluation.samples import Fed, Source
from arenite.analysis.evaluation.targets import Task
from arenite.analysis.listening import keeps_state
from arenite.errors import EvaluateError, PredictError
from arenite.model import Model
from arenite.model.model import Array
from arenite.runtime.feed import dequantized
from arenite.runtime.interpreter import Interpreter


@dataclass(frozen=True, eq=False)
class Answers:
    """What the engines said of some samples.

    Attributes:
        values: An array per engine: ``(n, classes)`` scores, ``(n, outputs)`` numbers, or ``(n,)``
            mean squared errors of what is like the input.
        read_seconds: Time to read samples and make inputs of them.
        seconds: Time that each engine took.
        inferences: How many there were, per engine.
    """

    values: tuple[Array, ...]
    read_seconds: float
    seconds: tuple[float, ...]
    inferences: int


@dataclass(frozen=True, eq=False)
class Bench:
    """Engines next to each other, and what makes features of sound for them.

    It can be pickled where its engines can.
    """

    engines: tuple[Engine, ...]
    task: Task
    front_end: Interpreter | None = None

    def answers(self, source: Source) -> Answers:
        """Ask every engine.

        Raises:
            AreniteError, OSError: A sample cannot be read, or fails.
        """
        values, seconds, read = [], [], 0.0
        fed: dict[int, Fed] = {}
        with np.errstate(all="ignore"):  # as on the device, NaN and overflow are results
            for number, engine in enumerate(self.engines):
                engine.ready()
                start = time.perf_counter()
                like = self._like(number)
                if like not in fed:
                    fed[like] = source.feed(engine.model, self.front_end)
                between = time.perf_counter()
                outputs = self._outputs(engine, fed[like], source)
                end = time.perf_counter()
                read += between - start
                seconds.append(end - between)
                values.append(self._values(engine, fed[like], outputs))
        return Answers(tuple(values), read, tuple(seconds), len(fed[0].inputs[0]))

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
    return all(
        (x.type, x.shape) == (y.type, y.shape)
        and (x.quantization is None) == (y.quantization is None)
        and (
            x.quantization is None
            or y.quantization is None
            or (
                np.array_equal(x.quantization.scale, y.quantization.scale)
                and np.array_equal(x.quantization.zero_point, y.quantization.zero_point)
            )
        )
        for x, y in pairs
    )
