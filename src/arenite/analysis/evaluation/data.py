"""Sources of data: arrays, ``.npz``, ``.csv`` of paths and labels, folders of classes."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arenite.analysis.evaluation.samples import Arrays, Files, Source
from arenite.analysis.inputs.arrays import read_text
from arenite.analysis.inputs.files import IMAGES
from arenite.analysis.inputs.npy import Header
from arenite.analysis.inputs.npz import Npz, open_npz, shortened
from arenite.analysis.inputs.values import InputError, Pixels
from arenite.errors import EvaluateError
from arenite.memory.budget import Budget
from arenite.model import Model
from arenite.model.model import Array

_SOUNDS = (".wav",)
#: What arrays are usually called, in lower case.
_X = ("x", "x_test", "images", "test_images", "image", "data", "inputs", "input", "features")
_Y = ("y", "y_test", "labels", "test_labels", "label", "targets", "target", "classes")
_PATHS = ("path", "file", "filename", "file_name", "image", "wav", "audio")
_LABELS = ("label", "class", "target", "y", "category")
_CSV_BYTES = 1 << 28
#: More digits, and an integer has over 64 bits.
_DIGITS = 19
#: So many characters of a table's word are shown.
_SHOWN = 100
#: So many names of an archive's arrays are shown.
_NAMED = 8


class Reading(NamedTuple):
    """The samples of the data that are read, and the way.

    Attributes:
        pixels: What a picture's bytes stand for.
        step: Milliseconds from one window of sound to the next.
        x: The array of samples in a ``.npz``, or the column of paths.
        y: The array or column of labels.
        limit: At most so many samples, chosen at random.
        seed: Of that choice.
    """

    pixels: Pixels = Pixels()
    step: float | None = None
    x: str | None = None
    y: str | None = None
    limit: int | None = None
    seed: int = 0

    def chosen(self, count: int) -> Array:
        """Indices of the samples that are taken of so many, in order."""
        if self.limit is None or self.limit >= count:
            return np.arange(count)
        if self.limit < 1:
            raise ValueError(f"expected a limit of at least 1 sample, got {self.limit}")
        return np.sort(np.random.default_rng(self.seed).choice(count, self.limit, replace=False))


@dataclass(frozen=True, eq=False)
class Data:
    """Samples and what is said of them.

    Attributes:
        origin: For people.
        source: The samples.
        labels: ``(n,)`` names or integers, ``(n, ...)`` real numbers, or None.
        ignored: Files in class folders that are neither pictures nor sounds.
    """

    origin: str
    source: Source
    labels: Array | None
    ignored: int = 0


def data_of(given: Any, model: Model, reading: Reading) -> Data:
    """Data as a user names them.

    Args:
        given: A folder of class folders, an ``.npz`` or ``.csv`` file, or ``(x, y)``: arrays of
            samples (a tuple of them for several inputs) and of labels, which may be None.
        model: What they are for; names of its inputs are looked for in an ``.npz``.
        reading: How.

    Raises:
        InputError: There is nothing to read, or it is broken.
        EvaluateError: Samples and labels do not fit together.
        OSError: A file or folder cannot be read.
    """
    if isinstance(given, tuple):
        return _arrays(given, reading)
    if not isinstance(given, str | os.PathLike):
        kind = type(given).__name__
        raise TypeError(f"expected a path or a tuple (x, y) as data, got {kind}")
    path = Path(given)
    if path.is_dir():
        return _folder(path, reading)
    match path.suffix.lower():
        case ".npz":
            return _archive(path, model, reading)
        case ".csv":
            return _table(path, reading)
    if not path.exists():
        raise FileNotFoundError(2, "No such file or folder", str(path))
    raise InputError(
        f"{path}: expected a folder of class folders, a .npz or a .csv of paths and labels, got "
        f"{path.suffix or 'a file without suffix'}"
    )


def _arrays(given: tuple[Any, ...], reading: Reading) -> Data:
    if len(given) != 2:
        raise ValueError(f"expected data (x, y), got a tuple of {len(given)}")
    x, y = given
    arrays = tuple(np.asarray(one) for one in (x if isinstance(x, tuple) else (x,)))
    return _paired("arrays", Arrays(arrays, reading.pixels), None if y is None else np.asarray(y))


def _paired(origin: str, source: Source, labels: Array | None, ignored: int = 0) -> Data:
    if labels is not None and labels.shape[:1] != (len(source),):
        got = len(labels) if labels.ndim else "one number"
        raise EvaluateError(f"{origin}: expected {len(source)} labels, one per sample, got {got}")
    if not len(source):
        raise EvaluateError(f"{origin}: expected samples, got none")
    return Data(origin, source, labels, ignored)


# -- .npz --------------------------------------------------------------------------------


def _archive(path: Path, model: Model, reading: Reading) -> Data:
    """Arrays of samples and labels; others are not read."""
    with open_npz(path) as archive:
        headers = {name: _header(archive, name, path) for name in archive.names}
        x, y = _names(headers, model, reading, path)
        budget = Budget()
        arrays = [_member(archive, name, budget, path) for name in x]
        labels = None if y is None else _member(archive, y, budget, path)
    origin = f"{path.name}[{', '.join(x)}]"
    return _paired(origin, Arrays(tuple(arrays), reading.pixels), labels)


def _header(archive: Npz, name: str, path: Path) -> Header:
    header = archive.header(name)
    if header.dtype.kind in "OV":
        raise InputError(
            f"{path}[{name}]: expected numbers or text, got Python objects (a pickle) or bytes "
            "without a type, which are not read"
        )
    return header


def _member(archive: Npz, name: str, budget: Budget, path: Path) -> Array:
    return archive.array(name, lambda header: budget.take(header.nbytes, f"{path}[{name}]"))


def _names(
    headers: dict[str, Header], model: Model, reading: Reading, path: Path
) -> tuple[list[str], str | None]:
    """The arrays of samples and of labels."""
    for said in (reading.x, reading.y):
        if said is not None and said not in headers:
            raise InputError(f"{path}: expected an array {said!r}, got {_listed(headers)}")
    y = reading.y or _one_of(headers, _Y, without=reading.x)
    inputs = [tensor.name for tensor in model.inputs]
    if reading.x is not None:
        return [reading.x], y
    if set(inputs) <= set(headers) - {y}:
        return inputs, y
    positions = [f"arr_{n}" for n in range(len(inputs) + 1)]
    if y is None and set(positions) == set(headers):
        return positions[:-1], positions[-1]
    rest = [name for name in headers if name != y]
    x = rest[0] if len(rest) == 1 else _one_of(headers, _X, without=y)
    if len(inputs) == 1 and x is not None:
        return [x], y
    raise InputError(
        f"{path}: expected arrays of samples and labels, such as x and y; say which they are with "
        f"x= and y= (--x and --y), got {_listed(headers)}"
    )


def _one_of(names: dict[str, Header], usual: Sequence[str], without: str | None) -> str | None:
    """The only name that is a usual one."""
    found = [name for name in names if name.lower() in usual and name != without]
    return found[0] if len(found) == 1 else None


def _listed(headers: dict[str, Header]) -> str:
    each = [
        f"{shortened(name)} ({header.dtype}{list(header.shape)})"
        for name, header in list(headers.items())[:_NAMED]
    ]
    more = f" and {len(headers) - _NAMED} more" if len(headers) > _NAMED else ""
    return (", ".join(each) or "none") + more


# -- folders -----------------------------------------------------------------------------


def _folder(path: Path, reading: Reading) -> Data:
    """A folder per class, named like it, with pictures or sounds at any depth."""
    classes = sorted(one for one in path.iterdir() if one.is_dir() and one.name[0] != ".")
    if not classes:
        raise InputError(f"{path}: expected a folder per class in it, got none")
    _require_inside(path, classes)
    found = {one: _media(one) for one in classes}
    ignored = sum(other for _, other in found.values())
    for one, (files, other) in found.items():
        if not files:
            known = ", ".join((*IMAGES, *_SOUNDS))
            raise InputError(f"{one}: expected {known} files of a class, got none of {other} files")
    files = [file for one in classes for file in found[one][0]]
    kinds = Counter(file.suffix.lower() in _SOUNDS for file in files)
    if len(kinds) > 1:
        raise InputError(
            f"{path}: expected pictures or sounds, got {kinds[False]} pictures and "
            f"{kinds[True]} sounds"
        )
    labels = np.array([one.name for one in classes for _ in found[one][0]])
    source = Files(tuple(files), reading.pixels, reading.step)
    return _paired(f"{path.name or path}/", source, labels, ignored)


def _require_inside(root: Path, classes: Sequence[Path]) -> None:
    """Refuse links to folders elsewhere, which may be a whole disk.

    Raises:
        InputError: A class's folder is such a link.
    """
    for one in classes:
        place = one.resolve()
        if root.resolve() not in place.parents:
            raise InputError(
                f"{one}: expected a folder of a class, got a link out of {root} to {place}; copy "
                "the files there, or name them in a .csv of paths and labels"
            )


def _media(folder: Path) -> tuple[list[Path], int]:
    """Pictures and sounds in a folder, sorted, and how many other files are there."""
    files: list[Path] = []
    others = 0
    for place, inside, names in os.walk(folder):
        inside[:] = sorted(name for name in inside if name[0] != ".")
        for name in sorted(names):
            if name[0] == ".":
                continue
            file = Path(place, name)
            if file.suffix.lower() in (*IMAGES, *_SOUNDS):
                files.append(file)
            else:
                others += 1
    return files, others


# -- .csv --------------------------------------------------------------------------------


def _table(path: Path, reading: Reading) -> Data:
    """A row per sample: a path, from the table's own folder on, and a label."""
    rows = _rows(path)
    if not rows:
        raise InputError(f"{path}: expected rows of path and label, got none")
    place, label, has_heading = _columns([cell.strip() for cell in rows[0][1]], path, reading)
    said: dict[Path, tuple[int, str]] = {}
    files: list[Path] = []
    labels: list[str] = []
    for number, row in rows[has_heading:]:
        if len(row) <= max(place, label or 0):
            raise InputError(
                f"{path}, line {number}: expected a path and a label, got {_short(str(row))}"
            )
        file = path.parent / row[place].strip()
        text = "" if label is None else row[label].strip()
        before = said.setdefault(file, (number, text))
        if before[1] != text:
            raise InputError(
                f"{path}, line {number}: {_short(row[place].strip())} is {_short(text)!r} here "
                f"and {_short(before[1])!r} in line {before[0]}"
            )
        files.append(file)
        labels.append(text)
    _require_files(path, said)
    source = Files(tuple(files), reading.pixels, reading.step)
    if label is None:
        return _paired(path.name, source, None)
    if (wide := _wide_integer(labels)) is not None:
        raise InputError(
            f"{path}, line {rows[has_heading:][wide][0]}: expected an integer of at most 64 bits "
            f"as label, got {_short(labels[wide])}"
        )
    return _paired(path.name, source, _typed(labels))


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """The rows that hold something, with their lines' numbers."""
    found: list[tuple[int, list[str]]] = []
    reader = csv.reader(read_text(path, _CSV_BYTES).splitlines())
    try:
        for row in reader:
            if any(map(str.strip, row)):
                found.append((reader.line_num, row))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from error
    return found


def _short(text: str) -> str:
    """A table may hold a word of megabytes, which an error is not to repeat."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _columns(first: list[str], path: Path, reading: Reading) -> tuple[int, int | None, bool]:
    """Columns of path and label, and whether the first row names them."""
    names = [cell.lower() for cell in first]
    wanted = ((reading.x, _PATHS), (reading.y, _LABELS))
    found = [_column(names, (said.lower(),) if said else usual) for said, usual in wanted]
    for said, column in zip((reading.x, reading.y), found, strict=True):
        if said is not None and column is None:
            raise InputError(f"{path}: expected a column {said!r}, got {', '.join(first)}")
    if found[0] is not None and (found[1] is not None or len(first) == 1):
        return found[0], found[1], True
    if len(first) > 2:
        raise InputError(
            f"{path}: expected two columns, path and label, or a first line that names them so, "
            f"got {', '.join(first)}"
        )
    return 0, 1 if len(first) == 2 else None, False


def _column(names: list[str], wanted: Sequence[str]) -> int | None:
    return next((n for n, name in enumerate(names) if name in wanted), None)


def _require_files(path: Path, said: dict[Path, tuple[int, str]]) -> None:
    missing = [(number, file) for file, (number, _) in said.items() if not os.path.isfile(file)]
    if missing:
        number, file = missing[0]
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"{path}, line {number}: there is no file '{_short(str(file))}'{more}")


def _wide_integer(labels: list[str]) -> int | None:
    """The first of labels that are all integers which no array of integers holds."""
    digits = [text.lstrip("+-") for text in labels]
    if not all(map(str.isdecimal, digits)):
        return None
    limits = np.iinfo(np.int64)
    for place, (text, one) in enumerate(zip(labels, digits, strict=True)):
        if len(one.lstrip("0")) > _DIGITS or not limits.min <= int(text) <= limits.max:
            return place
    return None


def _typed(labels: list[str]) -> Array:
    """Integers or real numbers if all are, else names."""
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in labels])
        except ValueError:
            continue
    return np.array(labels)
