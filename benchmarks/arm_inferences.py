"""Runs on the emulated processor: inferences between marks that ``arm_instructions.py`` sees.

``arm_inferences.py ENGINE MODEL COUNT``, where ENGINE is ``arenite`` or ``litert``. A mark is a
call of ``getppid``: before COUNT inferences, behind them, and behind twice as many. With
``operators`` for COUNT there are two marks for each operator of one inference: before it, and
behind it. Prints where the native engine's first byte lies; then operators' names, a line each.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WARM = 3


def interpreter(model: str) -> Any:
    import arenite as ar  # noqa: PLC0415 - one of the two

    interp = ar.Interpreter(model, engine="native")
    for number in range(len(interp.model.inputs)):
        port = interp.input(number)
        port[...] = noise(port.shape, port.dtype)
    return interp


def arenite(model: str) -> Callable[[], object]:
    invoke: Callable[[], object] = interpreter(model).invoke
    return invoke


class Marks:
    """A profiler whose clock is the plugin."""

    def __init__(self) -> None:
        self.names = list[str]()

    def begin_event(self, tag: str) -> int:
        self.names.append(tag)
        os.getppid()
        return 0

    def end_event(self, event: int) -> None:
        os.getppid()


def litert(model: str) -> Callable[[], object]:
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - one of the two

    interp = Interpreter(model, num_threads=1)
    interp.allocate_tensors()
    for port in interp.get_input_details():
        interp.set_tensor(port["index"], noise(port["shape"], port["dtype"]))
    invoke: Callable[[], object] = interp.invoke
    return invoke


def noise(shape: object, dtype: object) -> object:
    rng = np.random.default_rng(0)
    if np.issubdtype(dtype, np.floating):
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(-128, 128, shape).astype(dtype)


def start_of_engine() -> str:
    lines = [line for line in Path("/proc/self/maps").read_text().splitlines() if "_engine" in line]
    return lines[0].split("-")[0] if lines else "0"


def operators(model: str) -> None:
    interp, marks = interpreter(model), Marks()
    for _ in range(WARM):
        interp.invoke()
    interp.profiler = marks
    interp.invoke()
    print(start_of_engine(), *marks.names, sep="\n")


def inferences(engine: str, model: str, count: int) -> None:
    invoke = {"arenite": arenite, "litert": litert}[engine](model)
    for _ in range(WARM):
        invoke()
    print(start_of_engine())
    os.getppid()
    for some in (count, 2 * count):
        for _ in range(some):
            invoke()
        os.getppid()


if __name__ == "__main__":
    if sys.argv[3] == "operators":
        operators(sys.argv[2])
    else:
        inferences(sys.argv[1], sys.argv[2], int(sys.argv[3]))
