"""Runs on the emulated processor: inferences between marks that ``arm_instructions.py`` sees.

``arm_inferences.py ENGINE MODEL COUNT``, where ENGINE is ``arenite`` or ``litert``. A mark is a
call of ``getppid``: before COUNT inferences, behind them, and behind twice as many. Prints where
the native engine's first byte lies.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

WARM = 3


def arenite(model: str) -> Callable[[], object]:
    import arenite as ar  # noqa: PLC0415 - one of the two

    interp = ar.Interpreter(model, engine="native")
    for number in range(len(interp.model.inputs)):
        port = interp.input(number)
        port[...] = noise(port.shape, port.dtype)
    return interp.invoke


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


def main(engine: str, model: str, count: int) -> None:
    invoke = {"arenite": arenite, "litert": litert}[engine](model)
    for _ in range(WARM):
        invoke()
    lines = [line for line in Path("/proc/self/maps").read_text().splitlines() if "_engine" in line]
    print(lines[0].split("-")[0] if lines else "0")
    os.getppid()
    for inferences in (count, 2 * count):
        for _ in range(inferences):
            invoke()
        os.getppid()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
