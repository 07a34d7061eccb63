"""Identity of an evaluation, as text: the same text, the same bits.

Labels, classes and ``top_k`` are not among it: they are compared with answers that are there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arenite import native
from arenite.analysis.engines.sides import file_of
from arenite.analysis.evaluation.engines import Engine
from arenite.analysis.evaluation.samples import Arrays, Files, Source
from arenite.errors import AreniteError, EvaluateError
from arenite.files import open_regular
from arenite.formats.tflite import write
from arenite.model import Model
from arenite.model.model import Array
from arenite.peers import PeerProcess, package_of

_BLOCK = 1 << 24


def engine_identity(given: Any, engine: Engine) -> str:
    """An engine's model by its bytes, and what computes it."""
    return f"{model_identity(given, engine.model)} on {_computer(engine)}"


def model_identity(given: Any, model: Model) -> str:
    """A digest of the file that was given, or of the model as a file.

    Raises:
        EvaluateError: It was given as no file, and cannot be written as one.
    """
    file = file_of(given) if isinstance(given, str | os.PathLike) else ""
    if file:
        with open_regular(file) as stream:
            return _digest(iter(lambda: stream.read(_BLOCK), b""))
    try:
        return _digest([write(model)])
    except AreniteError as error:
        raise EvaluateError(f"resume: expected a model given as a file: {error}") from error


def source_identity(source: Source) -> str:
    """Samples: arrays by their bytes, files by path, size and time of their last change."""
    count = f"{len(source):,} samples"
    match source:
        case Arrays(arrays=arrays):
            kinds = ", ".join(f"{one.dtype}{list(one.shape)}" for one in arrays)
            return f"{count} in {kinds}, {_digest(_bytes_of(arrays))}"
        case Files(paths=paths):
            return f"{count} in files, {_digest(map(_file, paths))}"
    raise EvaluateError(f"resume: expected arrays or files, got {type(source).__name__}")


def chosen_identity(chosen: Array, count: int) -> str:
    """The choice of samples, in words."""
    if len(chosen) == count:
        return "all"
    return f"{len(chosen):,} of {count:,}, {_digest([chosen.astype('<i8').tobytes()])}"


def machine_identity(asked: str | None) -> str:
    """Machine that floats depend on: the set that was asked for, or its own; integers are equal."""
    if not native.available():
        return "reference"
    from arenite.native.program import isa  # noqa: PLC0415 - the engine may be absent

    return asked or isa()


def _computer(engine: Engine) -> str:
    computer = engine.interpreter
    if isinstance(computer, PeerProcess):
        return f"{computer.name} {package_of(computer.name).version}".strip()
    parts = (getattr(computer, name, "") for name in ("target", "engine"))
    return " ".join([type(computer).__name__, *map(str, parts)]).strip()


def _bytes_of(arrays: tuple[Array, ...]) -> Iterator[bytes]:
    for array in arrays:
        rows = max(1, _BLOCK // max(1, array[:1].nbytes))
        for begin in range(0, len(array), rows):
            yield np.ascontiguousarray(array[begin : begin + rows]).tobytes()


def _file(path: Path) -> bytes:
    try:
        status = os.stat(path)
        facts = f"{status.st_size} {status.st_mtime_ns}"
    except OSError:
        facts = "not there"
    return f"{os.path.abspath(path)}\0{facts}\0".encode(errors="surrogateescape")


def _digest(parts: Any) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return f"sha256 {found.hexdigest()[:32]}"
