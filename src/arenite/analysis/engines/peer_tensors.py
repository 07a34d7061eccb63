"""All tensors of inferences in LiteRT or TFLM's own package, in a process of its own.

It reads ``model.tflite`` and ``inputs.npz`` in a folder and writes ``tensors.npz``: both packages
end the process on some models.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from arenite.errors import CompareError
from arenite.files import save
from arenite.formats import load
from arenite.formats.tflite import write
from arenite.model import Model, TensorType
from arenite.model.model import Array
from arenite.optimize.litert_process import LitertInterpreter
from arenite.optimize.tflm_process import tflm_interpreter
from arenite.processes.children import how_it_ended, run_module
from arenite.processes.folders import scratch_folder

TIMEOUT = 300.0
_REFUSED = 3
_ARENA = 1 << 24
_STAGE = "stage.txt"
#: Tensors without a value that can be read: both packages end the process when they are asked.
_OPAQUE = (TensorType.RESOURCE, TensorType.VARIANT)

#: Tensors by index, of one inference.
Tensors = dict[int, Array]


def peer_tensors(model: Model, engine: str, runs: Sequence[Sequence[Array]]) -> list[Tensors]:
    """Every tensor that ``engine`` lets see, per inference.

    Args:
        model: The model; it is written as a ``.tflite`` file for the process.
        engine: One of :data:`ENGINES`.
        runs: The inputs of every inference.

    Raises:
        CompareError: The package is not installed, refuses the model or ends early.
    """
    with scratch_folder() as folder:
        save(folder / "model.tflite", write(model))
        arrays = {f"{n}-{i}": value for n, run in enumerate(runs) for i, value in enumerate(run)}
        np.savez(folder / "inputs.npz", **arrays)  # type: ignore[arg-type]
        _ask(folder, engine)
        found: list[Tensors] = [{} for _ in runs]
        with np.load(folder / "tensors.npz", allow_pickle=False) as tensors:
            for key in tensors.files:
                run, _, index = key.partition("-")
                found[int(run)][int(index)] = tensors[key]
    return found


def _ask(folder: Path, engine: str) -> None:
    arguments = [str(folder.absolute()), engine]
    try:
        done = run_module(
            "arenite.analysis.engines.peer_tensors", *arguments, folder=folder, timeout=TIMEOUT
        )
    except TimeoutError:
        raise CompareError(f"{engine} takes over {TIMEOUT:.0f} s") from None
    if not done.code:
        return
    lines = [line for line in done.err.splitlines() if line.strip()] or [""]
    if done.code == _REFUSED:
        raise CompareError(f"{engine}: {lines[-1].strip()}")
    raise CompareError(f"{engine} {how_it_ended(done.code)} {_stage(folder)}")


def _stage(folder: Path) -> str:
    """Stage that a process had reached when it ended by itself."""
    file = folder / _STAGE
    when = file.read_text(encoding="utf-8") if file.is_file() else "before it loaded the model"
    return f"{when}; whether the package or the model is at fault is not known"


# -- in the other process ----------------------------------------------------------------


#: What ``engine`` may be: who computes; with LiteRT's name for the kernels.
ENGINES = {"litert": "AUTO", "litert-reference": "BUILTIN_REF", "tflm": ""}


def _reader(content: bytes, engine: str) -> Callable[[Sequence[Array]], Tensors]:
    """A function that runs one inference and reads all tensors."""
    main = load(content).main
    interpreter: Any
    if engine == "tflm":
        interpreter = tflm_interpreter(content, _ARENA, keeps=True)
        indices = {index for one in main.operators for index in one.outputs if index >= 0}
    else:
        interpreter = LitertInterpreter(content, ENGINES[engine], keeps=True)
        indices = {one["index"] for one in interpreter.tensor_details()}

    def read(index: int) -> Any:
        if engine == "tflm":
            return interpreter.GetTensor(index, 0)["tensor_data"]
        return interpreter.tensor(index)

    opaque = {i for i, tensor in enumerate(main.tensors) if tensor.type in _OPAQUE}
    return lambda values: _inferred(interpreter, values, sorted(indices - opaque), read)


def _inferred(
    interpreter: Any, values: Sequence[Array], indices: Sequence[int], read: Callable[[int], Any]
) -> Tensors:
    for number, value in enumerate(values):
        interpreter.set_input(value, number)
    interpreter.invoke()
    found = {}
    for index in indices:
        # What has no value, as tensors that nobody computes, is left out.
        with suppress(ValueError, RuntimeError):
            found[index] = np.array(read(index))
    return found


def _answer(folder: Path, engine: str) -> None:
    stage = folder / _STAGE
    save(stage, b"while it loaded the model")
    infer = _reader((folder / "model.tflite").read_bytes(), engine)
    with np.load(folder / "inputs.npz", allow_pickle=False) as found:
        inputs = dict(found)
    results: dict[str, Array] = {}
    run = 0
    while f"{run}-0" in inputs:
        save(stage, f"in inference {run} of this model".encode())
        count = sum(key.startswith(f"{run}-") for key in inputs)
        tensors = infer([inputs[f"{run}-{index}"] for index in range(count)])
        results |= {f"{run}-{index}": value for index, value in tensors.items()}
        run += 1
    np.savez(folder / "tensors.npz", **results)  # type: ignore[arg-type]


def main(arguments: list[str]) -> int:
    """Answer one question; code 3 and a reason on stderr where the package refuses."""
    try:
        _answer(Path(arguments[0]), arguments[1])
    except (RuntimeError, ValueError, ImportError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return _REFUSED
    return 0
