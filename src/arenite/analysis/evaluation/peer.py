"""LiteRT or TFLM's own package as an engine, in a process of its own that stays.

``python -m arenite.analysis.evaluation.peer FILE ENGINE`` answers what :class:`Peer` asks: both
packages end the process on some models.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any, BinaryIO

import numpy as np

from arenite.errors import CompareError
from arenite.formats import load
from arenite.formats.tflite import write
from arenite.model import Model
from arenite.model.model import Array

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
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Peer, (self.model, self.engine)

    def ready(self) -> None:
        """Start the process, which loads package and model."""
        if self._process is None:
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
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._folder = None

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _ask(self, question: tuple[Any, ...]) -> Any:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        clock = Timer(TIMEOUT, process.kill)
        clock.daemon = True
        clock.start()
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            kind, answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait()
            self.close()
            raise CompareError(f"{self.engine} ended with code {code} on this model") from None
        finally:
            clock.cancel()
        if kind == "error":
            self.close()
            raise CompareError(f"{self.engine}: {answer}")
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._folder = tempfile.TemporaryDirectory(prefix="arenite-")
            path = Path(self._folder.name) / "model.tflite"
            path.write_bytes(write(self.model))
            module = "arenite.analysis.evaluation.peer"
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(path), self.engine],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process


# -- in the other process ----------------------------------------------------------------

Infer = Callable[[tuple[Array, ...]], Array]
Reset = Callable[[], object]


def _litert(path: Path, resolver: str) -> tuple[Infer, Reset]:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: PLC0415 - an extra

    interpreter = Interpreter(
        model_path=str(path),
        num_threads=1,
        experimental_op_resolver_type=OpResolverType[resolver],
    )
    interpreter.allocate_tensors()
    inputs = [detail["index"] for detail in interpreter.get_input_details()]
    output = interpreter.get_output_details()[0]["index"]

    def infer(values: tuple[Array, ...]) -> Array:
        for index, value in zip(inputs, values, strict=True):
            interpreter.set_tensor(index, value)
        interpreter.invoke()
        return np.asarray(interpreter.get_tensor(output))

    return infer, interpreter.reset_all_variables


def _tflm(path: Path) -> tuple[Infer, Reset]:
    from tflite_micro.python.tflite_micro import runtime  # noqa: PLC0415 - an extra

    interpreter = runtime.Interpreter.from_file(str(path), arena_size=_ARENA)

    def infer(values: tuple[Array, ...]) -> Array:
        for index, value in enumerate(values):
            interpreter.set_input(value, index)
        interpreter.invoke()
        return np.asarray(interpreter.get_output(0))

    return infer, interpreter.reset


_LOADERS: dict[str, Callable[[Path], tuple[Infer, Reset]]] = {
    "litert": lambda path: _litert(path, "AUTO"),
    "litert-reference": lambda path: _litert(path, "BUILTIN_REF"),
    "tflm": _tflm,
}


def _outputs(
    infer: Infer, reset: Reset, inputs: tuple[Array, ...], starts: Array | None, like: Array
) -> Array:
    found = np.empty((len(inputs[0]), *like.shape), like.dtype)
    for number, values in enumerate(zip(*inputs, strict=True)):
        if starts is not None and starts[number]:
            reset()
        found[number] = infer(values)
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


def _serve(path: Path, engine: str, questions: BinaryIO, answers: BinaryIO) -> None:
    infer, reset = _LOADERS[engine](path)
    output = load(path).outputs[0]
    like = np.empty(output.shape, output.type.dtype)
    with suppress(EOFError):
        while True:
            kind, inputs, more = pickle.load(questions)
            answer: Any
            if kind == "times":
                samples = list(zip(*inputs, strict=True))
                answer = times_of(infer, samples, more)
            else:
                answer = _outputs(infer, reset, inputs, more, like)
            pickle.dump(("answer", answer), answers, protocol=5)
            answers.flush()


def main(arguments: list[str]) -> int:
    """Answer until nobody asks; the packages' own words do not get between the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _serve(Path(arguments[0]), arguments[1], sys.stdin.buffer, answers)
    except (RuntimeError, ValueError, ImportError) as error:
        pickle.dump(("error", " ".join(str(error).split())), answers)
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
