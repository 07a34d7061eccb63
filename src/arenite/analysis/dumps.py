"""Tensors that a board has sent: an ``.npz`` file, or the text that its program printed.

The text has a line ``arenite tensor INDEX BYTES`` per tensor, followed by its bytes in hexadecimal
digits, up to an empty line or the next such line; whatever else a log says is skipped. The C lines
that print it: :func:`snippet`.
"""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np

from arenite.errors import CompareError
from arenite.files import open_regular, read_whole
from arenite.model import Model, Tensor
from arenite.model.model import Array

#: Larger ones are no logs of a microcontroller.
MOST_BYTES = 1 << 28
_HEAD = re.compile(r"arenite tensor (\d+) (\d+)\s*$")
_HEX = re.compile(r"\s*(?:[0-9a-fA-F]{2}\s*)+$")


def read_dump(path: Path, model: Model) -> dict[int, Array]:
    """The tensors of a dump by index, with the types and shapes that ``model`` gives them.

    Members of an ``.npz`` file are called by index or by a tensor's name.

    Raises:
        CompareError: The file is no dump, or a tensor has another size than the model's.
        OSError: It cannot be read.
    """
    with open_regular(path) as file:
        content = read_whole(file) if path.stat().st_size <= MOST_BYTES else b""
    if not content:
        raise CompareError(f"{path}: expected a dump of 1 to {MOST_BYTES} bytes")
    found = _npz(path, content, model) if content[:2] == b"PK" else _text(path, content)
    tensors = model.main.tensors
    for index, value in found.items():
        if not 0 <= index < len(tensors):
            raise CompareError(f"{path}: the model has no tensor {index}")
        found[index] = _shaped(value, tensors[index], f"{path}: tensor {index}")
    return found


def _npz(path: Path, content: bytes, model: Model) -> dict[int, Array]:
    names = {tensor.name: i for i, tensor in reversed(list(enumerate(model.main.tensors)))}
    found = {}
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            for key in archive.files:
                index = int(key) if key.isdecimal() else names.get(key)
                if index is None:
                    raise CompareError(f"{path}: the model has no tensor {key!r}")
                found[index] = np.ascontiguousarray(archive[key]).reshape(-1).view(np.uint8)
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        raise CompareError(f"{path}: not a readable .npz file: {error}") from error
    return found


def _text(path: Path, content: bytes) -> dict[int, Array]:
    found: dict[int, Array] = {}
    digits: list[str] = []
    index, size = -1, 0

    def end() -> None:
        if index < 0:
            return
        value = np.frombuffer(bytes.fromhex("".join(digits)), np.uint8)
        if value.size != size:
            raise CompareError(f"{path}: tensor {index}: expected {size} bytes, got {value.size}")
        found[index] = value

    for line in content.decode("utf-8", "replace").splitlines():
        if match := _HEAD.search(line):
            end()
            index, size, digits = int(match[1]), int(match[2]), []
        elif index >= 0 and _HEX.match(line):
            digits.append("".join(line.split()))
        elif index >= 0:
            end()
            index = -1
    end()
    if not found:
        raise CompareError(f"{path}: there is no line 'arenite tensor INDEX BYTES' in it")
    return found


def _shaped(value: Array, tensor: Tensor, where: str) -> Array:
    if value.size != tensor.nbytes:
        raise CompareError(f"{where}: expected {tensor.nbytes} bytes, got {value.size}")
    if tensor.type.bits != 8 * tensor.type.dtype.itemsize:
        return value
    typed: Array = value.view(tensor.type.dtype).reshape(tensor.shape)
    return typed


def snippet(model: Model) -> str:
    """C++ lines that print a TFLM interpreter's inputs and outputs as such a text.

    Other tensors share their memory and are gone after an inference; firmware of ``arenite export``
    can print all with ``NAME_invoke_observed``.
    """
    lines = [
        "static void arenite_print_tensor(int index, const TfLiteTensor* tensor) {",
        '  MicroPrintf("arenite tensor %d %d", index, (int)tensor->bytes);',
        "  char line[65];",
        "  for (size_t i = 0; i < tensor->bytes; i += 32) {",
        "    size_t n = 0;",
        "    for (size_t k = i; k < i + 32 && k < tensor->bytes; ++k) {",
        '      static const char digits[] = "0123456789abcdef";',
        "      const uint8_t byte = ((const uint8_t*)tensor->data.raw)[k];",
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
    calls = "arenite_print_tensor({}, interpreter.{}({}));"
    lines += [calls.format(index, "input", n) for n, index in enumerate(model.main.inputs)]
    lines.append("// after it:")
    lines += [calls.format(index, "output", n) for n, index in enumerate(model.main.outputs)]
    return "\n".join(lines) + "\n"
