"""Samples of data, by index: what a part of them is as a model's inputs.

A source holds arrays, or the paths of files; a part of it can be pickled and read elsewhere.
What ``arenite run`` makes of one file is made of each here, by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from arenite.analysis.engines.listening import Features, keeps_state, step_of, window_count, windows
from arenite.analysis.inputs.files import IMAGES, read_input
from arenite.analysis.inputs.media import (
    image_shape,
    pixel_table,
    read_samples,
    require_raw_samples,
    samples_for,
    sound_file,
)
from arenite.analysis.inputs.values import InputError, Pixels, is_quantized, long_axes
from arenite.errors import DTypeError, EvaluateError, ShapeError
from arenite.model import Model, Tensor, TensorType
from arenite.model.model import Array
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import Given, checked_samples, first_nan, translated


class Fed(NamedTuple):
    """Inputs of a model for some samples.

    ``inputs`` hold ``(n, ...)`` values of every input, or real numbers for it; ``counts`` says
    how many of those in a row are one sample, None where each is.
    """

    inputs: tuple[Array, ...]
    counts: Array | None = None


class Source(Protocol):
    """Samples that can be read in parts."""

    def __len__(self) -> int:
        """The number of samples."""

    def part(self, indices: Array) -> Source:
        """Some of them, in that order."""

    def name(self, index: int) -> str:
        """A sample, for people."""

    def feed(self, model: Model, front_end: Interpreter | None) -> Fed:
        """All of them as inputs of a model."""


# -- arrays ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Arrays:
    """Samples in memory: an array for every input.

    uint8 pictures become what ``arenite run`` makes of a picture's bytes, real numbers are
    quantised, all else is taken as it is. An axis more than a sample has, behind the first, holds
    several inferences of one sample.
    """

    arrays: tuple[Array, ...]
    pixels: Pixels = field(default_factory=Pixels)
    first: Array | None = None

    def __post_init__(self) -> None:
        lengths = {array.shape[:1] for array in self.arrays}
        if len(lengths) != 1 or () in lengths:
            shapes = [list(array.shape) for array in self.arrays]
            raise ShapeError(f"x: expected arrays of as many samples, got shapes {shapes}")

    def __len__(self) -> int:
        return len(self.arrays[0])

    def part(self, indices: Array) -> Arrays:
        """Some samples; consecutive ones are views."""
        where = _span(indices)
        arrays = tuple(array[where] for array in self.arrays)
        first = np.arange(len(self)) if self.first is None else self.first
        return replace(self, arrays=arrays, first=first[where])

    def name(self, index: int) -> str:
        """``sample 17``, by its place in all data."""
        return f"sample {index if self.first is None else int(self.first[index])}"

    def feed(self, model: Model, front_end: Interpreter | None) -> Fed:
        """See :class:`Source`.

        Raises:
            EvaluateError: The data have another number of inputs, NaN, or are for a front end.
            InputError, DTypeError, ShapeError: An array does not fit its input.
        """
        if front_end is not None:
            raise EvaluateError("expected .wav files for a front end, got arrays")
        if len(self.arrays) != len(model.inputs):
            names = [tensor.name for tensor in model.inputs]
            raise EvaluateError(
                f"expected x for {len(names)} inputs {names}, got {len(self.arrays)}"
            )
        pairs = list(zip(self.arrays, model.inputs, strict=True))
        inner = {_inferences(array, tensor) for array, tensor in pairs}
        if len(inner) != 1:
            raise ShapeError("x: expected as many inferences of a sample for every input")
        several = inner.pop()
        arrays = tuple(self._values(array, tensor, several) for array, tensor in pairs)
        return Fed(arrays, None if several is None else np.full(len(self), several))

    def _values(self, array: Array, tensor: Tensor, several: int | None) -> Array:
        if array.dtype.kind == "f" and (place := first_nan(array)) is not None:
            raise EvaluateError(
                f"{self.name(place[0])}: expected numbers, got NaN at {place[1:]} of x"
            )
        if several is not None:
            array = array.reshape(len(array) * several, *array.shape[2:])
        if long_axes(array.shape[1:]) == long_axes(tensor.shape):
            array = array.reshape(len(array), *tensor.shape)
        if array.dtype != np.uint8 or tensor.type is TensorType.UINT8:
            return array
        image_shape(tensor, "x, uint8 pictures")
        if array.shape[1:] != tensor.shape:
            got = list(array.shape[1:])
            raise ShapeError(f"x: expected pictures of shape {list(tensor.shape)}, got {got}")
        table = pixel_table(tensor, self.pixels, "x").array
        return array if _is_what_predict_does(table, tensor) else table[array]


def _inferences(array: Array, tensor: Tensor) -> int | None:
    """Inferences of a sample, where the array has an axis for them."""
    shape = tensor.shape[1:] if tensor.shape[:1] == (1,) else tensor.shape
    behind = array.shape[1:]
    if behind in (shape, tensor.shape) or len(behind) != len(shape) + 1:
        return None
    return behind[0] if behind[1:] == shape and behind[0] else None


def _is_what_predict_does(table: Array, tensor: Tensor) -> bool:
    """Whether ``predict`` makes the same of bytes, faster."""
    every_byte = np.arange(256, dtype=np.uint8)
    none = np.empty((0, *tensor.shape), np.uint8)
    try:
        _, given = checked_samples(none, tensor, 0, quantize=True)
    except DTypeError:  # bytes may be numbers as well
        return False
    return given is Given.PIXELS and np.array_equal(given.converted(every_byte, tensor), table)


def _span(indices: Array) -> slice | Array:
    """Consecutive indices as a slice."""
    if len(indices) and np.array_equal(indices, np.arange(indices[0], indices[0] + len(indices))):
        return slice(int(indices[0]), int(indices[0]) + len(indices))
    return indices


def pictures(source: Source, model: Model) -> tuple[bool, ...]:
    """Whether the samples of each input are pictures, whose bytes stand for real numbers."""
    match source:
        case Arrays(arrays=arrays, pixels=pixels):
            pairs = zip(arrays, model.inputs, strict=False)
            is_bytes = [a.dtype == np.uint8 and t.type is not TensorType.UINT8 for a, t in pairs]
            return tuple(one and not pixels.raw for one in is_bytes)
        case Files(paths=paths, pixels=pixels):
            return (not pixels.raw and all(path.suffix.lower() in IMAGES for path in paths),)
    return (False,) * len(model.inputs)


def fed_like(first: Model, fed: Fed, source: Source, model: Model, own: Callable[[], Fed]) -> Fed:
    """Inputs of a model that stand for the same real numbers as those of another model.

    Args:
        first: The other model.
        fed: Its inputs.
        source: The samples that they were made of.
        model: The model.
        own: What it makes of the samples by itself. Pictures are taken from there: their range is
            the same, and there are no integers of the other model between.
    """
    shown = pictures(source, first)
    if all(shown) or keeps_state(first) != keeps_state(model):
        return own()
    given = zip(fed.inputs, first.inputs, model.inputs, strict=True)
    inputs = [_translated(*one) for one in given]
    if any(shown):
        made = own().inputs
        inputs = [made[n] if shown[n] else one for n, one in enumerate(inputs)]
    return Fed(tuple(inputs), fed.counts)


def _translated(values: Array, source: Tensor, target: Tensor) -> Array:
    """Values of one input for another one; integers that are no values of it are real numbers."""
    if values.dtype != source.type.dtype and values.dtype.kind in "iu" and is_quantized(source):
        return values.astype(np.float64)
    return translated(values, source, target)


# -- files -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Files:
    """A file per sample, of any format that ``arenite run`` takes for one input.

    A ``.wav`` file is heard window by window where a front end is given, or a step, or the model
    keeps a state; each inference on the way is one of the sample.

    Attributes:
        paths: The files.
        pixels: How pictures are read.
        step: Milliseconds from one window of sound to the next, None for the usual.
    """

    paths: tuple[Path, ...]
    pixels: Pixels = field(default_factory=Pixels)
    step: float | None = None

    def __len__(self) -> int:
        return len(self.paths)

    def part(self, indices: Array) -> Files:
        """Some files."""
        return replace(self, paths=tuple(self.paths[index] for index in indices))

    def name(self, index: int) -> str:
        """The file's path."""
        return str(self.paths[index])

    def feed(self, model: Model, front_end: Interpreter | None) -> Fed:
        """See :class:`Source`.

        Raises:
            EvaluateError: The model has several inputs.
            InputError, ShapeError, DTypeError: A file is broken or does not fit the input.
            OSError: A file cannot be read.
        """
        if len(model.inputs) != 1:
            raise EvaluateError(f"expected a model with 1 input for files, got {len(model.inputs)}")
        tensor = model.inputs[0]
        listens = front_end is not None or self.step is not None or keeps_state(model)
        if not (listens and all(path.suffix.lower() == ".wav" for path in self.paths)):
            if front_end is not None:
                raise InputError(f"{self._other()}: expected .wav files for a front end")
            return Fed(
                (_stack([read_input(p, tensor, self.pixels).array for p in self.paths], tensor),)
            )
        features = Features(model, front_end)
        heard = [self._heard(path, features) for path in self.paths]
        counts = np.array([len(one) for one in heard], np.int64)
        inputs = [value.reshape(tensor.shape) for one in heard for value in one]
        return Fed((_stack(inputs, tensor),), counts)

    def _other(self) -> Path:
        return next(path for path in self.paths if path.suffix.lower() != ".wav")

    def _heard(self, path: Path, features: Features) -> list[Array]:
        """Inputs of the model, window by window."""
        tensor = features.samples
        require_raw_samples(path, tensor)
        sound = sound_file(path)
        step = step_of(tensor.size, sound.rate, self.step, overlaps=features.overlap)
        window_count(path, sound, tensor.size, step, features.windows)
        features.reset()
        cut = windows(read_samples(path), tensor.size, step)
        made = (features.of(samples_for(tensor, one, path.name)) for one in cut)
        return [one for one in made if one is not None]


def _stack(arrays: Sequence[Array], tensor: Tensor) -> Array:
    if not arrays:
        return np.empty((0, *tensor.shape), tensor.type.dtype)
    return np.stack(arrays)
