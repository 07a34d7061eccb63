"""TFLM's own Python package as the oracle, in a process of its own.

The package crashes on some malformed or unusual models; here a crash is an outcome,
and the next question gets a fresh process. ``ARENITE_ORACLE`` names the Python that has it, where
the one that asks cannot: an emulated processor's (``tools/arm.py``).
"""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest

from arenite.memory.recording import Allocations, Category, CategoryTotal
from tests.steps import Step
from tests.worker import Worker, WorkerError, serve

Array = np.ndarray[Any, Any]
PYTHON = os.environ.get("ARENITE_ORACLE", sys.executable)


def skip_without_tflm() -> None:
    """Skip the test where nobody has TFLM's package."""
    if sys.executable == PYTHON:
        pytest.importorskip("tflite_micro")


@dataclass(frozen=True)
class Answer:
    """What the oracle made of a model.

    ``status`` is ``"ok"``, ``"refused"`` (TFLM returned an error; see ``log``) or
    ``"crashed"``. ``outputs`` has one list of arrays per step that is not a reset.
    ``allocations`` maps the labels of ``print_allocations`` to bytes in use.
    """

    status: Literal["ok", "refused", "crashed"]
    outputs: list[list[Array]] = field(default_factory=list)
    log: str = ""
    allocations: dict[str, int] = field(default_factory=dict)


class Oracle:
    """Answers questions through one worker process, which is replaced when it dies."""

    def __init__(self, timeout: float = 60.0) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._worker = Worker("tests.oracle", timeout=timeout, log=self._log, python=PYTHON)

    def run(
        self,
        model: bytes,
        steps: Sequence[Step],
        arena_size: int = 1 << 22,
        decompression_memory: int = 0,
    ) -> Answer:
        """Load ``model`` and take the steps: inputs for one inference each, or a reset."""
        self._log.seek(0)
        self._log.truncate()
        try:
            status, outputs = self._worker.ask(
                (model, list(steps), arena_size, decompression_memory)
            )
        except WorkerError:
            return Answer("crashed", log=self._read_log())
        log = self._read_log()
        return Answer(status, outputs, log, allocations(log))

    def close(self) -> None:
        """End the worker."""
        self._worker.close()
        self._log.close()

    def _read_log(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace")


def allocations(log: str) -> dict[str, int]:
    """Labels of TFLM's allocation report and the bytes in use behind them."""
    found = re.findall(r"Arena allocation (\w+) (\d+) bytes", log)
    found += re.findall(r"'([^']+)' used (\d+) bytes", log)
    return {label: int(count) for label, count in found}


def printed_rows(log: str) -> list[CategoryTotal]:
    """TFLM's allocation report row by row: used and requested bytes and count."""
    rows = re.findall(r"'([^']+)' used (\d+) .*?requested (\d+) bytes for (\d+) ", log)
    return [CategoryTotal(name, int(a), int(b), int(c)) for name, a, b, c in rows]


#: The categories that TFLM's ``PrintAllocations`` lists.
TFLM_CATEGORIES = tuple(Category)[:6]


def tflm_rows(allocations: Allocations) -> list[CategoryTotal]:
    """The rows of Arenite's table that TFLM prints: its categories, if anything is in them."""
    names = {category.value for category in TFLM_CATEGORIES}
    return [row for row in allocations.categories if row.name in names and row.requested_bytes]


def _serve() -> None:
    from tflite_micro.python.tflite_micro import runtime

    def reply(question: tuple[Any, ...]) -> tuple[str, Any]:
        try:
            return "ok", _answer(runtime, *question)
        except (RuntimeError, ValueError) as error:
            print(error, file=sys.stderr, flush=True)
            return "refused", []

    serve(reply, sys.stdout.buffer)


def _answer(
    runtime: Any, model: bytes, steps: list[Step], arena_size: int, decompression_memory: int
) -> list[list[Array]]:
    more = {"alt_decompression_memory_size": decompression_memory} if decompression_memory else {}
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=arena_size, **more)
    results = []
    count = _output_count(model)
    for step in steps:
        if isinstance(step, str):
            interpreter.reset()
            continue
        for index, value in enumerate(step):
            interpreter.set_input(value, index)
        interpreter.invoke()
        results.append([np.array(interpreter.get_output(i)) for i in range(count)])
    interpreter.print_allocations()
    return results


def _output_count(model: bytes) -> int:
    from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

    return int(schema.Model.GetRootAsModel(model, 0).Subgraphs(0).OutputsLength())


if __name__ == "__main__":
    _serve()
