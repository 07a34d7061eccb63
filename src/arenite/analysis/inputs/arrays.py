"""Inputs from ``.npy``, ``.npz`` and ``.csv``.

What a file says of itself is held against the model's input before anything of that size is read:
a file costs the memory of the input that it is for, whatever it contains.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from arenite.analysis.inputs.npy import Header, read_array
from arenite.analysis.inputs.npz import Npz, listed, open_npz
from arenite.analysis.inputs.values import (
    Input,
    InputError,
    fit_array,
    fit_numbers,
    readable,
    require_fit,
    require_plain,
)
from arenite.errors import ShapeError
from arenite.files import open_regular, read_file
from arenite.memory.budget import Budget
from arenite.model import Model, Tensor
from arenite.model.model import tensor_text

_ARCHIVE = b"PK"
# Room for comments and headings, and for a number or a label with what separates it.
_TEXT_BYTES, _NUMBER_BYTES = 1 << 20, 64


def read_npy(path: Path, tensor: Tensor) -> Input:
    """One array.

    Raises:
        InputError: The file is broken.
        ShapeError, DTypeError: The array does not fit the tensor, or holds Python objects.
        MemoryLimitError: It is larger than an interpreter may be.
        OSError: The file cannot be read.
    """
    with open_regular(path) as file, readable(path, ".npy file"):
        if file.read(len(_ARCHIVE)) == _ARCHIVE:
            raise InputError(f"{path}: expected one array, got an archive; name it .npz")
        file.seek(0)
        size = os.fstat(file.fileno()).st_size
        array = read_array(file, size, _judge(tensor, path.name, Budget()))
    return fit_array(array, tensor, path.name)


def read_npz(path: Path, model: Model) -> list[Input]:
    """Arrays for all inputs of a model, by name or position; others are not read.

    Raises:
        InputError: The archive is broken, or its arrays' names are not the inputs'.
        ShapeError, DTypeError: An array does not fit its tensor, or holds Python objects.
        MemoryLimitError: They are larger than an interpreter may be.
        OSError: The file cannot be read.
    """
    for tensor in model.inputs:
        require_plain(tensor)
    budget = Budget()
    with open_npz(path) as archive:
        return [
            _member(archive, name, tensor, f"{path.name}[{name}]", budget)
            for name, tensor in zip(_names(archive.names, model, path), model.inputs, strict=True)
        ]


def _member(archive: Npz, name: str, tensor: Tensor, origin: str, budget: Budget) -> Input:
    return fit_array(archive.array(name, _judge(tensor, origin, budget)), tensor, origin)


def _judge(tensor: Tensor, origin: str, budget: Budget) -> Callable[[Header], None]:
    """Refuse an array that is not the tensor's, or too large, by what it says of itself."""

    def judge(header: Header) -> None:
        require_fit(header.shape, header.dtype, tensor, origin)
        budget.take(header.nbytes, origin)

    return judge


def _names(arrays: Collection[str], model: Model, path: Path) -> list[str]:
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
        f"{path}: expected arrays named {listed(tensors)} (or arr_0, arr_1 ...), "
        f"got {listed(arrays)}"
    )


def read_csv(path: Path, tensor: Tensor) -> Input:
    """Numbers separated by commas, semicolons or white space, in the tensor's order.

    A first line that holds no numbers names the columns; ``#`` starts a comment.

    Raises:
        InputError: The file is not text, or longer than a megabyte and 64 bytes per number, or
            a word is no number.
        ShapeError: There are too many or too few numbers.
    """
    numbers: list[float] = []
    text = read_text(path, _TEXT_BYTES + _NUMBER_BYTES * tensor.size)
    for index, line in enumerate(text.splitlines()):
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
        InputError: The file is not text, or over 16 MiB long.
        OSError: The file cannot be read.
    """
    return read_text(path, 16 * _TEXT_BYTES).rstrip().splitlines()


def read_text(path: Path, most: int) -> str:
    """A UTF-8 text file of at most ``most`` bytes, with or without a byte order mark.

    Raises:
        InputError: The file is longer, or not UTF-8.
        OSError: The file cannot be read.
    """
    try:
        return read_file(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8 text, got {error.reason}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def check_labels(labels: Sequence[str], tensors: Sequence[Tensor]) -> None:
    """Refuse labels that are not one per value of the first output.

    Raises:
        ShapeError: Their number is another.
    """
    if labels and not tensors:
        raise ShapeError(f"expected a model with an output for {len(labels)} labels, got none")
    if labels and len(labels) != tensors[0].size:
        raise ShapeError(
            f"expected {tensors[0].size} labels, one per value of output "
            f"{tensors[0].name!r} ({tensor_text(tensors[0])}), got {len(labels)}"
        )
