"""A model that listens: windows of sound in, words over time out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arenite.analysis.engines.ranking import Ranked, is_plain, top
from arenite.analysis.inputs.media import SoundFile
from arenite.errors import ShapeError
from arenite.model import Model, Tensor
from arenite.model.model import Array
from arenite.ops import builtin
from arenite.ops.registry import traits_of
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import dequantized, quantized
from arenite.target import Target

#: A front end's windows overlap by a third, as those of TFLM's do: 30 ms every 20 ms.
_OVERLAP = 3


def keeps_state(model: Model) -> bool:
    """Whether an inference depends on those before it."""
    if any(tensor.is_variable for subgraph in model.subgraphs for tensor in subgraph.tensors):
        return True
    names = {operator.name for subgraph in model.subgraphs for operator in subgraph.operators}
    registrations = map(builtin, names)
    if any(traits_of(name).effect == "variables" for name in names):
        return True
    return any(one and one.reset for one in registrations)


class Features:
    """Inputs of a model for each window of sound: its samples, or features of several windows.

    A front end makes features of each window. The model gets as many windows' features as its
    input holds: the last ones, or, if it keeps a state itself, each of them once.

    Raises:
        ShapeError: There is not one input each, or the model's does not hold a whole number of
            features.
    """

    def __init__(self, model: Model, front_end: Interpreter | None = None) -> None:
        self._wanted, self._front_end = _only_input(model), front_end
        #: The input that takes a window of samples.
        self.samples = self._wanted if front_end is None else _only_input(front_end.model)
        #: Whether windows overlap where nobody says otherwise.
        self.overlap = front_end is not None
        #: How many windows make an input.
        self.windows = 1 if front_end is None else _windows(model, front_end.model)
        #: Whether every window is fed once.
        self.keeps_state = keeps_state(model)
        self._kept: deque[Array] = deque(maxlen=self.windows)

    def of(self, window: Array) -> Array | None:
        """The model's input after a window, or None where there were too few.

        Args:
            window: Values of :attr:`samples`.
        """
        if self._front_end is None:
            return window
        fed = self._front_end.input(0)
        fed[...] = window.reshape(fed.shape)
        self._front_end.invoke()
        made = self._front_end.output(0)
        self._kept.append(_as(made, self._front_end.model.outputs[0], self._wanted).reshape(-1))
        if len(self._kept) < self.windows:
            return None
        features = np.concatenate(self._kept)
        if self.keeps_state:
            self._kept.clear()
        return features

    def reset(self) -> None:
        """Begin another sound."""
        self._kept.clear()
        if self._front_end is not None:
            self._front_end.reset()


class Listener:
    """Feeds a model window by window, through a front end if there is one: see :class:`Features`.

    Raises:
        ShapeError: The models do not fit together.
    """

    def __init__(self, model: Interpreter, front_end: Interpreter | None = None) -> None:
        self._model, self._features = model, Features(model.model, front_end)
        self.windows, self.samples = self._features.windows, self._features.samples

    def hear(self, window: Array) -> list[Array] | None:
        """The model's outputs after a window, or None where it was not asked yet.

        Args:
            window: Values of :attr:`samples`.
        """
        features = self._features.of(window)
        if features is None:
            return None
        fed = self._model.input(0)
        fed[...] = features.reshape(fed.shape)
        self._model.invoke()
        outputs = range(len(self._model.model.outputs))
        return [self._model.output(index).copy() for index in outputs]


def _only_input(model: Model) -> Tensor:
    if len(model.inputs) != 1:
        raise ShapeError(
            f"{model.source}: expected a model with 1 input to listen, got {len(model.inputs)}"
        )
    return model.inputs[0]


def _windows(model: Model, front_end: Model) -> int:
    wanted, made = model.inputs[0].size, front_end.outputs[0].size
    if not made or not wanted or wanted % made:
        raise ShapeError(
            f"{model.source}: expected an input that holds a multiple of the {made} features of "
            f"{front_end.source}, got one of {wanted} numbers"
        )
    return wanted // made


def _as(values: Array, tensor: Tensor, wanted: Tensor) -> Array:
    """Features as the model takes them: as they are, or as the same real numbers."""
    if values.dtype == wanted.type.dtype:
        return np.array(values)
    reals = dequantized(values, tensor)
    has_scale = wanted.quantization is not None and len(wanted.quantization.scale) == 1
    if wanted.type.dtype.kind != "f" and has_scale:
        return quantized(reals, wanted)
    converted: Array = reals.astype(wanted.type.dtype)
    return converted


# -- windows and words ---------------------------------------------------------------------


def step_of(size: int, rate: int, milliseconds: float | None, *, overlaps: bool) -> int:
    """Samples from one window of ``size`` to the next; those of a front end overlap."""
    if milliseconds is not None:
        return max(1, round(milliseconds * rate / 1000))
    return max(1, size - size // _OVERLAP) if overlaps else size


def window_count(path: Path, sound: SoundFile, size: int, step: int, needed: int) -> int:
    """Windows of a file.

    Raises:
        ShapeError: They are fewer than a model needs at once.
    """
    count = 0 if sound.samples < size else 1 + (sound.samples - size) // step
    if count < needed:
        samples = size + (needed - 1) * step
        raise ShapeError(
            f"{path}: expected at least {samples} samples ({samples / sound.rate:.2f} s), which "
            f"the model needs at once, got {sound.samples}"
        )
    return count


def windows(blocks: Iterable[Array], size: int, step: int) -> Iterator[Array]:
    """Every window of a signal that comes in blocks; what is left at the end is dropped."""
    waiting, skip = np.zeros(0), 0
    for block in blocks:
        waiting = np.concatenate([waiting, block])[skip:]
        skip = max(skip - len(block), 0)  # nothing waits where something is to be skipped
        start = 0
        while start + size <= len(waiting):
            yield waiting[start : start + size]
            start += step
        waiting, skip = waiting[start:], skip + max(start - len(waiting), 0)


class Word(NamedTuple):
    """Label heard from one time on until another, in seconds of the sound.

    A time is that of the last sample that the model had been given.
    """

    begin: float
    end: float
    ranked: Ranked


def words(heard: Iterable[tuple[float, Ranked | None]], threshold: float) -> Iterator[Word]:
    """The same largest value over and over is one word, with its highest score.

    Args:
        heard: Times, and the largest value then.
        threshold: What is lower counts for nothing.
    """
    current: Word | None = None
    for time, found in heard:
        ranked = found if found is not None and found.value >= threshold else None
        if current is not None and (ranked is None or ranked.index != current.ranked.index):
            yield current
            current = None
        if ranked is None:
            continue
        if current is None:
            current = Word(time, time, ranked)
        else:
            best = max(current.ranked, ranked, key=lambda one: one.value)
            current = Word(current.begin, time, best)
    if current is not None:
        yield current


def largest(array: Array, tensor: Tensor, labels: Sequence[str]) -> Ranked | None:
    """An output's largest value, or its only one; None where it has no order."""
    if array.size == 1 and is_plain(tensor):
        label = labels[0] if labels else tensor.name
        value = float(dequantized(array, tensor).reshape(-1)[0])
        return Ranked(0, label, value, array.reshape(-1)[0].item())
    return next(iter(top(array, tensor, labels, 1)), None)


@dataclass(frozen=True)
class Listening:
    """Words that a model heard in a sound, and how long it took to listen.

    ``window`` and ``step`` are samples; ``seconds`` is the time of all windows and inferences.
    """

    file: str
    front_end: str
    target: Target
    engine: str
    origin: str
    rate: int
    samples: int
    window: int
    step: int
    windows: int
    inferences: int
    words: tuple[Word, ...]
    seconds: float

    @property
    def duration(self) -> float:
        """Seconds of sound."""
        return self.samples / self.rate


def listening_facts(listening: Listening) -> dict[str, Any]:
    """Everything that ``arenite run`` prints of it."""
    return {
        **{name: value for name, value in vars(listening).items() if name != "words"},
        "target": asdict(listening.target),
        "words": [
            {
                "from": word.begin,
                "to": word.end,
                "index": word.ranked.index,
                "label": word.ranked.label,
                "score": word.ranked.value,
            }
            for word in listening.words
        ],
    }
