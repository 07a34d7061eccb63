"""Exported folders compiled for this machine."""

import ctypes
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from arenite.errors import AreniteError
from arenite.firmware import Export
from arenite.model import Model
from tests.compiler import compiler

Array = np.ndarray[Any, Any]
T = TypeVar("T")

STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion")
LIBRARY = ("src/model.c", "src/kernels.c", "src/weights.c")
TESTED = (*LIBRARY, "src/selftest.c")


def sanitizers(folder: Path) -> list[str]:
    """What this machine's compiler can look after: arithmetic, and mostly memory."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    command = [*compiler(), "-fsanitize=address", "empty.c", "-o", "empty"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    address = [] if done.returncode else ["-fsanitize=address"]
    return ["-fsanitize=undefined", "-fno-sanitize-recover=all", *address]


def one_file(folder: Path, firmware: str, name: str) -> Path:
    """A file that includes all sources of a firmware below a folder: most of the time is saved."""
    file = folder / f"{name}_all.c"
    file.write_text("".join(f'#include "{firmware}/{source}"\n' for source in TESTED))
    return file


def exported_or_plain(export: Callable[..., T], **how: Any) -> T:
    """With options, or without where inputs cannot be as asked: an output is an input's own bytes,
    or the first layer needs all rows.
    """
    try:
        return export(**how)
    except ValueError as error:
        if isinstance(error, AreniteError) or "inputs" not in how:
            raise
        return export()


def compile_files(files: Iterable[str | Path], program: Path, *flags: str) -> None:
    """Compile and link; warnings are errors."""
    command = [*compiler(), *STRICT, *flags, *map(str, files), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def run(program: Path) -> str:
    """What a program prints, whatever its exit code."""
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
    return done.stdout + done.stderr


class Compiled:
    """A folder as a shared library, called like an interpreter."""

    def __init__(self, export: Export, model: Model) -> None:
        folder = Path(export.folder)
        library = folder / "model.so"
        files = [folder / name for name in LIBRARY]
        compile_files(files, library, "-shared", "-fPIC")
        self._name, self._model = export.name, model
        self._functions = ctypes.CDLL(str(library))
        for function in ("input", "output"):
            self._function(function).restype = ctypes.c_void_p
        self._function("init")()

    def _function(self, name: str) -> Any:
        return getattr(self._functions, f"{self._name}_{name}")

    def __call__(self, *inputs: Array) -> list[Array]:
        for index, array in enumerate(inputs):
            data = np.ascontiguousarray(array)
            ctypes.memmove(self._function("input")(index), data.ctypes.data, data.nbytes)
        self._function("invoke")()
        return [self._output(index) for index in range(len(self._model.outputs))]

    def reset(self) -> None:
        """Forget what was before."""
        self._function("reset")()

    def _output(self, index: int) -> Array:
        tensor = self._model.outputs[index]
        data = ctypes.string_at(self._function("output")(index), tensor.nbytes)
        return np.frombuffer(data, tensor.type.dtype).reshape(tensor.shape)
