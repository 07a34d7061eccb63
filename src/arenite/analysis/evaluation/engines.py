"""Engines: an interpreter, a board, or another package, all alike.

An :class:`Engine` takes samples of a model's inputs and gives real numbers; it can be pickled
where what it holds can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from arenite.analysis.engines.listening import keeps_state
from arenite.analysis.engines.sides import side_of
from arenite.errors import EvaluateError
from arenite.formats import content_of, load
from arenite.model import Model, Tensor
from arenite.model.model import Array
from arenite.ops import Registration
from arenite.peers import ENGINES, PeerProcess, times_of
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import checked_samples, dequantized

#: Single inferences are timed for about as long, in seconds.
TIMED = 0.5


@runtime_checkable
class Interpreting(Protocol):
    """Objects with an interpreter's steps: Interpreter, HeapInterpreter, Board."""

    @property
    def model(self) -> Model:
        """The model."""

    def input(self, index: int = 0) -> Array:
        """An input, to be written."""

    def invoke(self) -> bool:
        """One inference."""

    def output(self, index: int = 0) -> Array:
        """An output."""

    def reset(self) -> None:
        """Forget what was before."""


@dataclass(frozen=True, eq=False)
class Engine:
    """A model on something that computes.

    Attributes:
        label: For people: ``"model.tflite"``, ``"@litert"``.
        model: The model.
        interpreter: Who computes.
        threads: As of :meth:`arenite.Interpreter.predict`.
    """

    label: str
    model: Model
    interpreter: Interpreting | PeerProcess
    threads: int = 1

    def ready(self) -> None:
        """Do once what belongs to no sample."""
        if isinstance(self.interpreter, PeerProcess):
            self.interpreter.ready()

    def outputs(self, inputs: tuple[Array, ...], counts: Array | None = None) -> Array:
        """The first output's real numbers, ``(n, ...)``.

        Args:
            inputs: ``(n, ...)`` samples of every input: of its dtype, or real numbers.
            counts: How many inferences in a row are one sequence, where some are several; None
                if each stands for itself. A model with state forgets it before each.

        Raises:
            PredictError, DTypeError, ShapeError, CompareError: A sample, or the engine, fails.
        """
        found = self._found(inputs, counts)
        output = self.model.outputs[0]
        return dequantized(found, output) if found.dtype == output.type.dtype else found

    def _found(self, inputs: tuple[Array, ...], counts: Array | None) -> Array:
        engine = self.interpreter
        sequences = keeps_state(self.model) and counts is not None
        if isinstance(engine, PeerProcess):
            starts = _starts(len(inputs[0]), counts) if keeps_state(self.model) else None
            return engine.outputs(self.fitted(inputs), starts)
        predict = getattr(engine, "predict", None)
        if predict is None or sequences:
            starts = _starts(len(inputs[0]), counts)
            return _one_by_one(engine, self.fitted(inputs), starts)
        options = {} if self.threads == 1 else {"threads": self.threads}
        outputs = predict(inputs, stateful=False, quantize=True, **options)
        first: Array = outputs[0] if isinstance(outputs, tuple) else outputs
        return first

    def fitted(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Samples in the inputs' own dtypes and shapes."""
        pairs = zip(inputs, self.model.inputs, strict=True)
        return tuple(_fitted(array, tensor, n) for n, (array, tensor) in enumerate(pairs))

    def times(self, inputs: tuple[Array, ...], seconds: float = TIMED) -> list[float]:
        """Times of single inferences in seconds, after one that is not counted."""
        engine, values = self.interpreter, self.fitted(inputs)
        if isinstance(engine, PeerProcess):
            return engine.times(values, seconds)
        if isinstance(engine, Interpreter):
            engine = engine.copy()  # whose state may change
        infer = engine if callable(engine) else lambda *one: _one(engine, one)
        samples = list(zip(*values, strict=True))
        return times_of(lambda one: infer(*one), samples, seconds)


def _fitted(array: Array, tensor: Tensor, number: int) -> Array:
    samples, given = checked_samples(array, tensor, number, quantize=True)
    return given.converted(samples, tensor).reshape(-1, *tensor.shape)


def _starts(count: int, counts: Array | None) -> Array:
    """Whether a sequence begins at each sample."""
    starts = np.ones(count, bool)
    if counts is not None:
        starts[:] = False
        starts[np.cumsum(counts) - counts] = True
    return starts


def _one_by_one(engine: Interpreting, inputs: tuple[Array, ...], starts: Array) -> Array:
    found = []
    for number, values in enumerate(zip(*inputs, strict=True)):
        if starts[number]:
            engine.reset()
        found.append(_one(engine, values))
    return np.stack(found)


def _one(engine: Interpreting, values: Sequence[Array]) -> Array:
    for index, value in enumerate(values):
        engine.input(index)[...] = value
    engine.invoke()
    output: Array = engine.output(0).copy()
    return output


def engine_of(
    given: Any,
    *,
    other: Model | None = None,
    operators: Mapping[str, Registration] | None = None,
    threads: int = 1,
    **options: Any,
) -> Engine:
    """Engine of the name that a user gives.

    Args:
        given: Something with an interpreter's methods; a model, a file or its bytes; or the
            text ``"MODEL@ENGINE"`` or ``"@ENGINE"`` as ``arenite compare`` takes it.
        other: The model of ``"@ENGINE"``.
        operators: Registrations for files, as :func:`arenite.load` takes them.
        threads: As of ``predict``.
        options: Those of :class:`arenite.Interpreter`, for models without an engine.

    Raises:
        ValueError: There is no such engine.
        EvaluateError: It is a dump.
        ModelError, OSError: The file is no model.
    """
    if isinstance(given, Interpreting):
        if isinstance(given, HeapInterpreter):
            given.allocate_tensors()
        label = f"{given.model.source} ({type(given).__name__})".strip()
        return Engine(label, given.model, given, threads)
    label = ""
    if isinstance(given, str) and "@" in given:
        side = side_of(given, other, operators)
        if side.dump is not None:
            raise EvaluateError(f"expected a model or an engine, got the dump {given!r}")
        if side.engine in ENGINES:
            content, count = content_of(side.model), len(side.model.outputs)
            peer = PeerProcess(side.engine, content, count)
            return Engine(given, side.model, peer, threads)
        label, given = given, side.model
        options |= {"target": side.engine} if side.engine else {}
    model = given if isinstance(given, Model) else load(given, operators=operators)
    label = label or model.source or "(built)"
    return Engine(label, model, Interpreter(model, **options), threads)
