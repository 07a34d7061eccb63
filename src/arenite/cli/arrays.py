"""Inputs from ``.npy``, ``.npz`` and ``.csv``."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from arenite.cli.values import Array, Input, InputError, fit_array, fit_numbers, require_plain
from arenite.model import Model, Tensor

# What np.load raises for files that are not what their name says.
_BROKEN = (ValueError, TypeError, EOFError, KeyError, SyntaxError, zipfile.BadZipFile)


def read_npy(path: Path, tensor: Tensor) -> Input:
    """One array.

    Raises:
        InputError: The file is broken, or holds Python objects.
        ShapeError, DTypeError: The array does not fit the tensor.
    """
    try:
        with path.open("rb") as file:
            array = np.load(file, allow_pickle=False)
    except _BROKEN as error:
        raise InputError(f"{path}: not a readable .npy file: {error}") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path}: expected one array, got an archive; name it .npz")
    return fit_array(array, tensor, path.name)


def read_npz(path: Path, model: Model) -> list[Input]:
    """Arrays for all inputs of a model, by name or position.

    Raises:
        InputError: The archive is broken, or its arrays' names are not the inputs'.
        ShapeError, DTypeError: An array does not fit its tensor.
    """
    for tensor in model.inputs:
        require_plain(tensor)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays: dict[str, Array] = {name: archive[name] for name in archive.files}
    except (*_BROKEN, AttributeError) as error:
        raise InputError(f"{path}: not a readable .npz archive: {error}") from error
    return [
        fit_array(arrays[name], tensor, f"{path.name}[{name}]")
        for name, tensor in zip(_names(arrays, model, path), model.inputs, strict=True)
    ]


def _names(arrays: Mapping[str, Array], model: Model, path: Path) -> list[str]:
    """Each input's array: by the tensors' names, a signature's, or ``arr_0``, ``arr_1`` ..."""
    tensors = [tensor.name for tensor in model.inputs]
    signatures = [
        [next((n for n, i in s.inputs.items() if i == index), "") for index in model.main.inputs]
        for s in model.signatures
        if s.subgraph == 0
    ]
    positions = [f"arr_{i}" for i in range(len(tensors))]
    for names in (tensors, *signatures, positions):
        if len(set(names)) == len(names) and set(names) <= set(arrays):
            return names
    if len(tensors) == len(arrays) == 1:
        return list(arrays)
    raise InputError(
        f"{path}: expected arrays named {', '.join(map(repr, tensors))} (or arr_0, arr_1 ...), "
        f"got {', '.join(map(repr, arrays)) or 'none'}"
    )


def read_csv(path: Path, tensor: Tensor) -> Input:
    """Numbers separated by commas, semicolons or white space, in the tensor's order.

    A first line that holds no numbers names the columns; ``#`` starts a comment.

    Raises:
        InputError: The file is not text, or a word is no number.
        ShapeError: There are too many or too few numbers.
    """
    numbers: list[float] = []
    for index, line in enumerate(read_text(path).splitlines()):
        words = [word for word in re.split(r"[,;\s]+", line.partition("#")[0]) if word]
        try:
            numbers += [float(word) for word in words]
        except ValueError as error:
            if index == 0:
                continue
            raise InputError(f"{path}, line {index + 1}: expected numbers, {error}") from error
    return fit_numbers(numbers, tensor, path.name)


def read_labels(path: Path) -> list[str]:
    """One label per line; blank lines at the end do not count.

    Raises:
        InputError: The file is not text.
        OSError: The file cannot be read.
    """
    return read_text(path).rstrip().splitlines()


def read_text(path: Path) -> str:
    """A UTF-8 text file, with or without a byte order mark.

    Raises:
        InputError: The file is not UTF-8.
        OSError: The file cannot be read.
    """
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8 text, got {error.reason}") from error
