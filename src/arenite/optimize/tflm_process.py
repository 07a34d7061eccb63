"""TFLM's own Python package, asked in a process of its own: it crashes on some models.

It reads ``0.tflite`` and so on, ``plan.json`` and ``inputs.npz`` in a folder and writes ``0.npz``
and so on. Arrays go between the processes as plain ``.npy`` data, nothing that could run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arenite.files import save
from arenite.model.model import Array
from arenite.processes.children import how_it_ended, run_module
from arenite.processes.folders import scratch_folder
from arenite.processes.paths import find_package

#: One inference's inputs, or None for a reset.
Step = Sequence[Array] | None
TIMEOUT = 300.0
_REFUSED = 3


class Answer(NamedTuple):
    """The outputs of every inference; or why there are none."""

    outputs: list[list[Array]]
    reason: str = ""


def is_installed() -> bool:
    """Whether the package can be asked."""
    return find_package("tflite_micro") is not None


def run(
    models: Sequence[bytes],
    steps: Sequence[Step],
    outputs: int,
    arena: int,
    *,
    module: str = "arenite.optimize.tflm_process",
) -> list[Answer]:
    """The package's results of models with ``outputs`` outputs each, in ``arena`` bytes.

    One process takes all of them; where it ends early, every model gets one of its own. ``module``
    asks another package in the same way.
    """
    with scratch_folder() as folder:
        for number, model in enumerate(models):
            save(folder / f"{number}.tflite", model)
        plan = {"steps": [step is not None for step in steps], "outputs": outputs, "arena": arena}
        save(folder / "plan.json", json.dumps({**plan, "models": len(models)}).encode())
        arrays: dict[str, Any] = {
            f"{number}-{index}": value
            for number, step in enumerate(steps)
            for index, value in enumerate(step or ())
        }
        np.savez(folder / "inputs.npz", **arrays)
        reason = _ask(folder, module)
        if not reason:
            return [_read(folder, number, steps, outputs) for number in range(len(models))]
    if len(models) == 1:
        return [Answer([], reason)]
    return [run([model], steps, outputs, arena, module=module)[0] for model in models]


def _ask(folder: Path, module: str) -> str:
    """Ask a process; the reason where it does not answer."""
    where = str(folder.absolute())
    try:
        done = run_module(module, where, folder=folder, timeout=TIMEOUT)
    except TimeoutError:
        return f"it takes over {TIMEOUT:.0f} s"
    if not done.code:
        return ""
    lines = [line for line in done.err.splitlines() if line.strip()] or [""]
    if done.code == _REFUSED:
        return f"it refuses the model ({lines[-1].strip()})"
    return f"it {how_it_ended(done.code)}"


def _read(folder: Path, model: int, steps: Sequence[Step], outputs: int) -> Answer:
    ran = [number for number, step in enumerate(steps) if step is not None]
    with np.load(folder / f"{model}.npz", allow_pickle=False) as found:
        return Answer([[found[f"{n}-{i}"] for i in range(outputs)] for n in ran])


def tflm_interpreter(model: bytes, arena: int, *, keeps: bool = False) -> Any:
    """The package's interpreter of a file's content; with ``keeps`` every tensor can be read."""
    from tflite_micro.python.tflite_micro import runtime  # noqa: PLC0415 - an extra

    configs = runtime.InterpreterConfig
    kept = configs.kPreserveAllTensors if keeps else configs.kAllocationRecording
    return runtime.Interpreter.from_bytes(model, arena_size=arena, intrepreter_config=kept)


def _answer(folder: Path, start: Callable[[bytes, int], Any]) -> None:
    plan = json.loads((folder / "plan.json").read_text())
    with np.load(folder / "inputs.npz", allow_pickle=False) as found:
        inputs = dict(found)
    for number in range(plan["models"]):
        model = (folder / f"{number}.tflite").read_bytes()
        interpreter = start(model, plan["arena"])
        results = _infer(interpreter, plan["steps"], inputs, plan["outputs"])
        np.savez(folder / f"{number}.npz", **results)


def _infer(
    interpreter: Any, steps: list[bool], inputs: dict[str, Array], outputs: int
) -> dict[str, Any]:
    results = {}
    for number, is_inference in enumerate(steps):
        if not is_inference:
            interpreter.reset()
            continue
        index = 0
        while f"{number}-{index}" in inputs:
            interpreter.set_input(inputs[f"{number}-{index}"], index)
            index += 1
        interpreter.invoke()
        for output in range(outputs):
            results[f"{number}-{output}"] = np.array(interpreter.get_output(output))
    return results


def answered(folder: Path, start: Callable[[bytes, int], Any]) -> int:
    """Answer one question with interpreters that ``start`` makes; code 3 where one refuses."""
    try:
        _answer(folder, start)
    except (RuntimeError, ValueError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return _REFUSED
    return 0


def main(arguments: list[str]) -> int:
    """Answer one question; code 3 and a reason on stderr where TFLM refuses."""
    return answered(Path(arguments[0]), tflm_interpreter)
