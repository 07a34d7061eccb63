"""Models with inputs in one file, which is read without any package but NumPy."""

import io
import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.steps import RESET, Step

Array = np.ndarray[Any, Any]
FILE = Path(__file__).with_name("cases.xz")


class Case(NamedTuple):
    """A model, as the content of a file, and what is done with it."""

    operator: str
    model: bytes
    steps: tuple[Step, ...]

    @property
    def size(self) -> int:
        """Bytes of the model and all inputs."""
        return len(self.model) + sum(a.nbytes for s in self.steps if s != RESET for a in s)


# -- the file: a line of JSON for each case, then all bytes in the lines' order -----------------


def save(cases: Sequence[Case], file: Path = FILE) -> None:
    """Write cases."""
    lines, content = [], io.BytesIO()
    for case in cases:
        steps: list[Any] = []
        content.write(case.model)
        for step in case.steps:
            if isinstance(step, str):
                steps.append(step)
                continue
            steps.append([[array.dtype.str, list(array.shape)] for array in step])
            for array in step:
                content.write(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")))
        lines.append(json.dumps([case.operator, len(case.model), steps]))
    text = "\n".join(lines).encode()
    data = len(text).to_bytes(4, "little") + text + content.getvalue()
    file.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def read(file: Path = FILE) -> list[Case]:
    """The cases of a file."""
    data = lzma.decompress(file.read_bytes())
    end = 4 + int.from_bytes(data[:4], "little")
    content = io.BytesIO(data[end:])
    cases = []
    for line in data[4:end].decode().splitlines():
        operator, size, steps = json.loads(line)
        model = content.read(size)
        cases.append(Case(operator, model, tuple(_step(step, content) for step in steps)))
    return cases


def _step(said: Any, content: io.BytesIO) -> Step:
    if isinstance(said, str):
        assert said == RESET
        return "reset"
    arrays = []
    for kind, shape in said:
        dtype = np.dtype(kind)
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(content.read(count * dtype.itemsize), dtype).reshape(shape))
    return arrays
