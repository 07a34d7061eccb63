"""LiteRT or TFLM's own package as an engine, in a process of its own that stays.

It answers what :class:`Peer` asks: both packages end the process on some models.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arenite.analysis.engines.peer_tensors import ENGINES
from arenite.errors import CompareError
from arenite.files import save
from arenite.formats import load
from arenite.formats.tflite import write
from arenite.model import Model
from arenite.model.model import Array
from arenite.optimize.litert_process import LitertInterpreter
from arenite.optimize.tflm_process import tflm_interpreter
from arenite.processes.children import EndedError, Service, how_it_ended
from arenite.processes.inside import Answer, serve

TIMEOUT = 600.0
_ARENA = 1 << 24
_MOST_CALLS = 1000


class Peer:
    """Asks another package for outputs; the process starts with the first question.

    Args:
        model: The model; it is written as a ``.tflite`` file for the process.
        engine: ``"litert"``, ``"litert-reference"`` or ``"tflm"``.

    Raises:
        CompareError: The package is not installed, refuses the model, or ends early.
    """

    def __init__(self, model: Model, engine: str) -> None:
        self.model, self.engine = model, engine
        self._service: Service | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Peer, (self.model, self.engine)

    def ready(self) -> None:
        """Start the process, which loads package and model."""
        if self._service is None:
            tensors = self.model.inputs
            self.outputs(tuple(np.empty((0, *t.shape), t.type.dtype) for t in tensors))

    def outputs(self, inputs: tuple[Array, ...], starts: Array | None = None) -> Array:
        """The first output of one inference per sample, ``(n, ...)``, of the model's dtype.

        Args:
            inputs: Samples of every input, of its dtype and shape.
            starts: ``(n,)`` whether the state is to be forgotten before a sample.
        """
        answer: Array = self._ask(("outputs", inputs, starts))
        return answer

    def times(self, inputs: tuple[Array, ...], seconds: float) -> list[float]:
        """Times of single inferences in seconds: see :func:`times_of`."""
        answer: list[float] = self._ask(("times", inputs, seconds))
        return answer

    def close(self) -> None:
        """End the process."""
        if self._service is not None:
            self._service.finish()
        if self._folder is not None:
            self._folder.cleanup()
        self._service = self._folder = None

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _ask(self, question: tuple[Any, ...]) -> Any:
        try:
            return self._started().ask(question, TIMEOUT)
        except EndedError as error:
            self.close()
            raise CompareError(f"{self.engine} {how_it_ended(error.code)} on this model") from None
        except CompareError:
            self.close()
            raise

    def _started(self) -> Service:
        if self._service is None:
            self._folder = tempfile.TemporaryDirectory(prefix="arenite-")
            folder = Path(self._folder.name).absolute()
            path = folder / "model.tflite"
            save(path, write(self.model))
            module = "arenite.analysis.evaluation.peer"
            self._service = Service(module, str(path), self.engine, folder=folder, quiet=True)
        return self._service


# -- in the other process ----------------------------------------------------------------


def _interpreter(path: Path, engine: str) -> Any:
    content = path.read_bytes()
    if engine == "tflm":
        return tflm_interpreter(content, _ARENA)
    return LitertInterpreter(content, ENGINES[engine])


def _infer(interpreter: Any, values: tuple[Array, ...]) -> Array:
    for number, value in enumerate(values):
        interpreter.set_input(value, number)
    interpreter.invoke()
    return np.asarray(interpreter.get_output(0))


def _outputs(
    interpreter: Any, inputs: tuple[Array, ...], starts: Array | None, like: Array
) -> Array:
    found = np.empty((len(inputs[0]), *like.shape), like.dtype)
    for number, values in enumerate(zip(*inputs, strict=True)):
        if starts is not None and starts[number]:
            interpreter.reset()
        found[number] = _infer(interpreter, values)
    return found


def times_of(
    infer: Callable[[tuple[Array, ...]], object], samples: list[tuple[Array, ...]], seconds: float
) -> list[float]:
    """Times of up to 1000 single inferences on these samples, until ``seconds`` are gone."""
    infer(samples[0])
    found: list[float] = []
    end = time.perf_counter() + seconds
    while not found or (time.perf_counter() < end and len(found) < _MOST_CALLS):
        values = samples[len(found) % len(samples)]
        start = time.perf_counter()
        infer(values)
        found.append(time.perf_counter() - start)
    return found


def _loaded(path: Path, engine: str) -> Answer:
    with _in_our_words(engine):
        interpreter = _interpreter(path, engine)
    output = load(path).outputs[0]
    like = np.empty(output.shape, output.type.dtype)

    def answer(question: tuple[Any, ...]) -> Any:
        kind, inputs, more = question
        with _in_our_words(engine):
            if kind == "times":
                samples = list(zip(*inputs, strict=True))
                return times_of(partial(_infer, interpreter), samples, more)
            return _outputs(interpreter, inputs, more, like)

    return answer


@contextmanager
def _in_our_words(engine: str) -> Iterator[None]:
    """A package's refusal as an error that the driver knows."""
    try:
        yield
    except Exception as error:
        raise CompareError(f"{engine}: {' '.join(str(error).split())}") from None


def main(arguments: list[str]) -> int:
    """Answer until nobody asks."""
    path, engine = arguments
    serve(lambda: _loaded(Path(path), engine))
    return 0
