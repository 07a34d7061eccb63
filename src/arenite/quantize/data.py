"""Samples to take ranges from: what ``evaluate`` reads, and folders and arrays without labels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arenite.analysis.evaluation.data import Data, Reading, data_of
from arenite.analysis.evaluation.samples import Arrays, Files, Source, pictures
from arenite.analysis.inputs.files import IMAGES
from arenite.analysis.inputs.pixels import default_range, takes_bytes
from arenite.model import Model
from arenite.model.types import FLOAT32
from arenite.quantize.idioms import as_numbers, collected, is_iterable_of_samples, value_of
from arenite.quantize.plan import Range

#: One sample of so many judges and is not learnt from; at most so many judge.
_JUDGES, _MOST_JUDGES = 5, 200
#: More samples take time, and no range is better for them.
MOST_SAMPLES = 2_000
#: With fewer samples all of them do both.
_ENOUGH = 20


class Parts(NamedTuple):
    """Samples by what they are for.

    Ranges and whatever else is learnt come from ``learning``; so values that only others show are
    cut off when these judge, as on the device.
    """

    learning: Source
    judging: Source
    is_split: bool


def read_data(given: Any, model: Model, reading: Reading) -> Data:
    """Data as a user names them: as for ``evaluate``, or without labels.

    Those are an array of samples, a list of arrays for several inputs, a folder of pictures or
    sounds, or samples one after the other (:mod:`arenite.quantize.idioms`).

    Raises:
        InputError, EvaluateError, OSError: As of ``evaluate``.
    """
    if isinstance(given, Mapping):
        named = [value_of(given, model, place, "data") for place in range(len(model.inputs))]
        return data_of((_reals(named, model), None), model, reading)
    if is_iterable_of_samples(given, model):
        arrays, labels = collected(given, model, reading.limit or MOST_SAMPLES)
        return Data("samples", Arrays(arrays, reading.pixels), labels)
    if isinstance(given, list) or hasattr(given, "__array__"):
        several = given if isinstance(given, list) else [given]
        return data_of((_reals(several, model), None), model, reading)
    if isinstance(given, tuple) and len(given) == 2:
        x, y = given
        several = list(x) if isinstance(x, tuple) else [x]
        return data_of((_reals(several, model), y), model, reading)
    if isinstance(given, str | os.PathLike):
        files = _flat(Path(given))
        if files:
            source = Files(tuple(files), reading.pixels, reading.step)
            return Data(f"{Path(given).name}/", source, None)
    elif not isinstance(given, tuple):
        raise TypeError(
            "expected data: a folder or file, arrays, (x, y), a function that yields samples, or a "
            f"dataset; got {type(given).__name__}"
        )
    return data_of(given, model, reading)


def _reals(arrays: Sequence[Any], model: Model) -> tuple[Any, ...]:
    """Arrays with numbers for float inputs as float32; bytes, which may be pictures, as they are.

    Raises:
        ShapeError, DTypeError: One is no array of numbers.
    """
    found = [as_numbers(one, f"x[{place}]") for place, one in enumerate(arrays)]
    for place, (array, tensor) in enumerate(zip(found, model.inputs, strict=False)):
        if tensor.type is FLOAT32 and array.dtype != np.uint8:
            with np.errstate(over="ignore"):
                found[place] = array.astype(np.float32, copy=False)
    return tuple(found)


def _flat(folder: Path) -> list[Path]:
    """Pictures and sounds of a folder that has no folders of classes."""
    if not folder.is_dir():
        return []
    inside = sorted(path for path in folder.iterdir() if path.name[0] != ".")
    if any(path.is_dir() for path in inside):
        return []
    return [path for path in inside if path.suffix.lower() in (*IMAGES, ".wav")]


def bounded(reading: Reading, count: int) -> tuple[Reading, tuple[str, ...]]:
    """A reading of at most so many samples as anything is learnt from, and words about that.

    Who names a limit gets as many.
    """
    if reading.limit is not None or count <= MOST_SAMPLES:
        return reading, ()
    note = f"{MOST_SAMPLES:,} of {count:,} samples are taken, at random; --limit N takes N of them"
    return reading._replace(limit=MOST_SAMPLES), (note,)


def picture_ranges(source: Source, model: Model) -> dict[int, Range]:
    """Real numbers that bytes 0 and 255 of pictures stand for, by the place of the input.

    An input's integers stand for all of them, whatever the samples' brightest pixel is: so the
    device's ``byte - 128`` is the same number.
    """
    found: dict[int, Range] = {}
    for place, (is_shown, tensor) in enumerate(
        zip(pictures(source, model), model.inputs, strict=False)
    ):
        if is_shown and isinstance(source, Arrays | Files) and not takes_bytes(tensor):
            found[place] = source.pixels.range or default_range(tensor)
    return found


def parts_of(source: Source, seed: int) -> Parts:
    """One sample in five to judge, the others to learn from."""
    count = len(source)
    if count < _ENOUGH:
        return Parts(source, source, is_split=False)
    order = np.random.default_rng(seed).permutation(count)
    cut = min(count // _JUDGES, _MOST_JUDGES)
    judging, learning = np.sort(order[:cut]), np.sort(order[cut:])
    return Parts(source.part(learning), source.part(judging), is_split=True)
