"""A peer's process: what the driver asks, and what the process does.

All questions and answers are messages (:mod:`arenite.processes.messages`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from arenite.errors import CompareError
from arenite.model.model import Array
from arenite.peers.packages import STARTS, Opened
from arenite.processes.children import EndedError, Service, how_it_ended
from arenite.processes.folders import scratch_folder
from arenite.processes.inside import Answer as Answering
from arenite.processes.inside import serve
from arenite.processes.messages import MessageError

#: Seconds that an answer may take.
TIMEOUT = 300.0
#: Bytes of TFLM's arena.
ARENA = 1 << 24
_MOST_CALLS = 1000
#: What a process was doing when it ended.
_LOADING, _RUNNING = "while it loaded the model", "in an inference of this model"

#: One inference's inputs, or None for a reset.
Step = Sequence[Array] | None
#: Tensors by index, of one inference.
Tensors = dict[int, Array]


class Answer(NamedTuple):
    """The outputs of every inference; or why there are none."""

    outputs: list[list[Array]]
    reason: str = ""


class PeerError(CompareError):
    """A package refuses a model, or its process has ended.

    Attributes:
        reason: That, without the package's name: ``"it was ended by SIGSEGV"``.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class PeerProcess:
    """A package in a process of its own, which starts with the first question.

    Args:
        name: One of :data:`arenite.peers.ENGINES`.
        content: A ``.tflite`` file's bytes.
        outputs: Outputs of the model.
        keeps: Whether every tensor can be read.
        arena: Bytes of TFLM's arena.

    Raises:
        PeerError: From all methods: the package is not installed, refuses the model, or ends.
    """

    def __init__(
        self, name: str, content: bytes, outputs: int, *, keeps: bool = False, arena: int = ARENA
    ) -> None:
        self.name = name
        self._opening: dict[str, Any] = {
            "content": content,
            "outputs": outputs,
            "keeps": keeps,
            "arena": arena,
        }
        self._is_loaded = False
        self._service: Service | None = None
        self._folder = ExitStack()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(PeerProcess, **self._opening), (self.name,)

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def open(self, content: bytes, outputs: int) -> None:
        """Load another model instead."""
        self._opening |= {"content": content, "outputs": outputs}
        self._is_loaded = False
        self.ready()

    def ready(self) -> None:
        """Start the process, which loads package and model."""
        if self._service is None:
            folder = self._folder.enter_context(scratch_folder())
            self._service = Service(__name__, self.name, folder=folder, quiet=True)
        if not self._is_loaded:
            self._ask(_LOADING, "open", **self._opening)
            self._is_loaded = True

    def infer(self, steps: Sequence[Step]) -> list[list[Array]]:
        """All outputs of every inference, in their order."""
        self.ready()
        found: list[list[Array]] = self._ask(_RUNNING, "infer", steps=steps)
        return found

    def tensors(self, inputs: Sequence[Array], indices: Sequence[int], number: int = 0) -> Tensors:
        """The tensors of ``indices`` after one inference, as far as the package shows them."""
        self.ready()
        place = f"in inference {number} of this model"
        found: Tensors = self._ask(place, "tensors", inputs=inputs, indices=list(indices))
        return found

    def outputs(self, inputs: tuple[Array, ...], starts: Array | None = None) -> Array:
        """The first output of one inference per sample, ``(n, ...)``.

        Args:
            inputs: ``(n, ...)`` samples of every input, of its dtype.
            starts: ``(n,)`` whether the state is to be forgotten before a sample.
        """
        self.ready()
        found: Array = self._ask(_RUNNING, "outputs", inputs=inputs, starts=starts)
        return found

    def times(self, inputs: tuple[Array, ...], seconds: float) -> list[float]:
        """Times of single inferences in seconds: see :func:`times_of`."""
        self.ready()
        found: list[float] = self._ask(_RUNNING, "times", inputs=inputs, seconds=seconds)
        return found

    def close(self) -> None:
        """End the process."""
        if self._service is not None:
            self._service.finish()
        self._folder.close()
        self._service = None
        self._is_loaded = False

    def _ask(self, place: str, question: str, **named: Any) -> Any:
        assert self._service is not None
        start = time.monotonic()
        try:
            return self._service.ask((question, named), TIMEOUT)
        except CompareError as error:
            self._is_loaded = False  # after an inference that failed as well
            raise PeerError(f"{self.name}: {error}", f"it refuses the model ({error})") from None
        except EndedError as error:
            ended = how_it_ended(error.code)
            if time.monotonic() - start >= TIMEOUT:
                ended = f"takes over {TIMEOUT:.0f} s"
            reason = f"it {ended}"
            message = (
                f"{self.name} {ended} {place}; whether the package or the model is at fault is "
                "not known"
            )
        except MessageError as error:
            reason, message = f"it answers nonsense ({error})", f"{self.name}: {error}"
        self.close()
        raise PeerError(message, reason)


def ask(
    name: str, files: Sequence[bytes], steps: Sequence[Step], outputs: int, arena: int = ARENA
) -> list[Answer]:
    """A package's results of files with ``outputs`` outputs each, or why there are none."""
    answers = []
    with PeerProcess(name, b"", outputs, arena=arena) as peer:
        for content in files:
            try:
                peer.open(content, outputs)
                answers.append(Answer(peer.infer(steps)))
            except PeerError as error:
                answers.append(Answer([], error.reason))
    return answers


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


# -- in the other process ----------------------------------------------------------------


class _Child:
    """Answers of the process; every error of the package's is a refusal."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._opened: Opened

    def answer(self, question: tuple[str, dict[str, Any]]) -> Any:
        """Do what is asked for."""
        kind, named = question
        try:
            return getattr(self, kind)(**named)
        except Exception as error:
            raise CompareError(" ".join(str(error).split()) or type(error).__name__) from None

    def open(self, content: bytes, outputs: int, *, keeps: bool, arena: int) -> None:
        """Load package and model."""
        self._opened = STARTS[self._name](content, keeps=keeps, arena=arena)
        self._count = outputs

    def infer(self, steps: Sequence[Step]) -> list[list[Array]]:
        """All outputs of every inference."""
        found = []
        for values in steps:
            if values is None:
                self._opened.reset()
                continue
            self._run(values)
            found.append([np.array(self._opened.get_output(n)) for n in range(self._count)])
        return found

    def tensors(self, inputs: Sequence[Array], indices: Sequence[int]) -> Tensors:
        """Tensors after an inference; what has no value, as what nobody computes, is left out."""
        self._run(inputs)
        found = {}
        for index in indices:
            with suppress(ValueError, RuntimeError):
                found[index] = np.array(self._opened.tensor(index))
        return found

    def outputs(self, inputs: tuple[Array, ...], starts: Array | None) -> Array:
        """The first output of every sample, in the shape that the inference gives it."""
        found = []
        for number, values in enumerate(zip(*inputs, strict=True)):
            if starts is not None and starts[number]:
                self._opened.reset()
            self._run(values)
            found.append(np.array(self._opened.get_output(0)))
        return np.stack(found)

    def times(self, inputs: tuple[Array, ...], seconds: float) -> list[float]:
        """Times of single inferences."""

        def infer(values: tuple[Array, ...]) -> object:
            self._run(values)
            return np.asarray(self._opened.get_output(0))

        return times_of(infer, list(zip(*inputs, strict=True)), seconds)

    def _run(self, values: Sequence[Array]) -> None:
        for number, value in enumerate(values):
            self._opened.set_input(value, number)
        self._opened.invoke()


def main(arguments: list[str]) -> int:
    """Answer until nobody asks."""
    child = _Child(arguments[0])
    answering: Answering = child.answer
    serve(lambda: answering)
    return 0
