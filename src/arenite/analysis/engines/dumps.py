"""Tensors that a board has sent: an ``.npz`` file, or the text that its program printed.

The text has a line ``arenite tensor INDEX BYTES`` per tensor, followed by its bytes in hexadecimal
digits, up to an empty line or the next such line; whatever else a log says is skipped. The C lines
that print it: :func:`snippet`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

import numpy as np

from arenite.analysis.inputs.npy import Header
from arenite.analysis.inputs.npz import Npz, open_npz, shortened
from arenite.analysis.inputs.values import InputError
from arenite.errors import CompareError
from arenite.files import open_regular
from arenite.memory.budget import Budget
from arenite.model import Model, Tensor
from arenite.model.model import Array

#: Larger ones are no logs of a microcontroller.
MOST_BYTES = 1 << 28
_HEAD = re.compile(r"arenite tensor ([0-9]{1,10}) ([0-9]{1,10})\s*$")
#: What is longer is read in pieces of so many characters; a head is shorter.
_PIECE, _DIGITS = 1 << 16, 10


def read_dump(path: Path, model: Model) -> dict[int, Array]:
    """The tensors of a dump by index, with the types and shapes that ``model`` gives them.

    Members of an ``.npz`` file are called by index or by a tensor's name.

    Raises:
        CompareError: The file is no dump, or a tensor has another size than the model's.
        MemoryLimitError: The tensors are larger than an interpreter may be.
        OSError: It cannot be read.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if not 1 <= size <= MOST_BYTES:
            raise CompareError(f"{path}: expected a dump of 1 to {MOST_BYTES} bytes, got {size}")
        is_archive = file.read(2) == b"PK"
        file.seek(0)
        found = {} if is_archive else _text(path, file, model)
    if is_archive:
        try:
            with open_npz(path) as archive:
                found = _members(path, archive, model)
        except InputError as error:
            raise CompareError(str(error)) from None
    return {index: _shaped(value, model.main.tensors[index]) for index, value in found.items()}


def _members(path: Path, archive: Npz, model: Model) -> dict[int, Array]:
    names = {tensor.name: i for i, tensor in reversed(list(enumerate(model.main.tensors)))}
    found: dict[int, Array] = {}
    budget = Budget()
    for key in archive.names:
        is_index = key.isdecimal() and len(key) <= _DIGITS
        index = int(key) if is_index else names.get(key)
        if index is None:
            raise CompareError(f"{path}: the model has no tensor {shortened(key)!r}")

        def judge(header: Header, index: int = index) -> None:
            _require_size(path, model, index, header.nbytes)
            budget.take(header.nbytes, f"{path}: tensor {index}")

        array = archive.array(key, judge)
        found[index] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return found


def _text(path: Path, file: BinaryIO, model: Model) -> dict[int, Array]:
    """Tensors of a log, which is read line by line; it closes the file."""
    found: dict[int, Array] = {}
    budget = Budget()
    data, index, size = bytearray(), -1, 0

    def end() -> None:
        if index < 0:
            return
        _require_size(path, model, index, len(data), size)
        budget.take(size, f"{path}: tensor {index}")
        found[index] = np.frombuffer(bytes(data), np.uint8)

    for line in _lines(file):
        if match := _HEAD.search(line):
            end()
            index, size, data = int(match[1]), int(match[2]), bytearray()
            _require_size(path, model, index, size)
        elif index >= 0 and (values := _bytes(line)):
            data += values
            if len(data) > size:
                _require_size(path, model, index, len(data), size)
        elif index >= 0:
            end()
            index = -1
    end()
    if not found:
        raise CompareError(f"{path}: there is no line 'arenite tensor INDEX BYTES' in it")
    return found


def _lines(file: BinaryIO) -> Iterator[str]:
    with TextIOWrapper(file, "utf-8", "replace") as lines:
        while line := lines.readline(_PIECE):
            yield line


def _bytes(line: str) -> bytes:
    """Bytes in hexadecimal digits; none if a line has anything else."""
    try:
        return bytes.fromhex(line)
    except ValueError:
        return b""


def _require_size(
    path: Path, model: Model, index: int, got: int, expected: int | None = None
) -> None:
    tensors = model.main.tensors
    if not 0 <= index < len(tensors):
        raise CompareError(f"{path}: the model has no tensor {index}")
    expected = tensors[index].nbytes if expected is None else expected
    if got != expected:
        raise CompareError(f"{path}: tensor {index}: expected {expected} bytes, got {got}")


def _shaped(value: Array, tensor: Tensor) -> Array:
    if tensor.type.bits != 8 * tensor.type.dtype.itemsize:
        return value
    typed: Array = value.view(tensor.type.dtype).reshape(tensor.shape)
    return typed


def snippet(model: Model) -> str:
    """C++ lines that print a TFLM interpreter's inputs and every operator's output as such a text.

    Tensors share memory and are gone after an inference, unless the interpreter is told to keep
    them all, which takes a larger arena; the lines say how. Firmware of ``arenite export`` prints
    all with ``NAME_invoke_observed``.

    Facts: TFLM ``micro/micro_interpreter.h`` (``preserve_all_tensors``, ``GetTensor``).
    """
    written = [index for one in model.main.operators for index in one.outputs if index >= 0]
    tensors = model.main.tensors
    lines = [
        "// The interpreter has to keep all tensors, in a larger arena:",
        "//   MicroInterpreter interpreter(model, resolver, arena, size, nullptr, nullptr, true);",
        "static void arenite_print(int index, const void* data, size_t bytes) {",
        '  MicroPrintf("arenite tensor %d %d", index, (int)bytes);',
        "  char line[65];",
        "  for (size_t i = 0; i < bytes; i += 32) {",
        "    size_t n = 0;",
        "    for (size_t k = i; k < i + 32 && k < bytes; ++k) {",
        '      static const char digits[] = "0123456789abcdef";',
        "      const uint8_t byte = ((const uint8_t*)data)[k];",
        "      line[n++] = digits[byte >> 4];",
        "      line[n++] = digits[byte & 15];",
        "    }",
        "    line[n] = 0;",
        '    MicroPrintf("%s", line);',
        "  }",
        "}",
        "",
        "// before interpreter.Invoke(), which may write over them:",
    ]
    call = "arenite_print({0}, interpreter.GetTensor({0})->data.raw, {1});"
    lines += [call.format(index, tensors[index].nbytes) for index in model.main.inputs]
    lines.append("// after it, every operator's output:")
    lines += [call.format(index, tensors[index].nbytes) for index in dict.fromkeys(written)]
    return "\n".join(lines) + "\n"
