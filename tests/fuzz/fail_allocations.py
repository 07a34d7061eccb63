"""Run by test_allocation_failures.py in a process of its own, with ``fail_allocations.c``.

Lets one allocation after the other fail during each call: an error must come of it, or the
result, and afterwards the same bits. Prints how many allocations each call made.
"""

from __future__ import annotations

import ctypes
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import arenite as ar

UNTIL_FAILURE, LEAST = (
    ctypes.c_long.in_dll(ctypes.CDLL(None), name) for name in ("until_failure", "least")
)


def at_every_allocation(
    call: Callable[[], Any], check: Callable[[], None], every: int
) -> dict[str, int]:
    """Let an allocation fail during each call; what came of it, by the error's name."""
    outcomes: dict[str, int] = {}
    number = 1
    while True:
        left, name = failing(call, number)
        outcomes[name] = outcomes.get(name, 0) + 1
        check()
        if left > 0:
            return {**outcomes, "allocations": number - left}
        number += every


def failing(call: Callable[[], Any], number: int) -> tuple[int, str]:
    """Call while allocation ``number`` fails; how many were left, and the error's name."""
    name = "result"
    try:
        UNTIL_FAILURE.value = number
        call()
    except (MemoryError, ar.AreniteError, SystemError) as error:  # the last one is NumPy's
        name = type(error).__name__
    finally:
        left, UNTIL_FAILURE.value = UNTIL_FAILURE.value, 0
    return left, name


def main(path: str, every: int, engine: Any) -> dict[str, dict[str, int]]:
    """All calls on one model."""
    first = ar.Interpreter(path, engine=engine)
    shape = first.input(0).shape
    x = np.random.default_rng(0).integers(-128, 128, (8, *shape), np.int8)
    expected = first.predict(x)
    counts = {}

    def starts() -> None:
        np.testing.assert_array_equal(ar.Interpreter(path, engine=engine)(x[0])[0], expected[0])

    def runs() -> None:
        np.testing.assert_array_equal(first(x[0])[0], expected[0])

    starts()
    calls: dict[str, tuple[Callable[[], Any], Callable[[], None], int]] = {
        "load": (lambda: ar.load(path), starts, every),
        "plan": (lambda: ar.Interpreter(first.model, engine=engine), starts, every),
        "invoke": (first.invoke, runs, 1),
        "call": (lambda: first(x[0]), runs, 1),
        "reset": (first.reset, runs, 1),
        "predict": (lambda: first.predict(x), runs, 1 + every // 10),
        "predict on threads": (lambda: first.predict(x, threads=2), runs, 1 + every // 10),
    }
    # NumPy's arithmetic ends the process when it is refused a buffer: it is not tried here.
    tried = calls if engine == "native" else ("load", "plan", "reset")
    for name in tried:
        call, check, step = calls[name]
        print(name, file=sys.stderr, flush=True)
        call()
        counts[name] = at_every_allocation(call, check, step)
    return counts


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    LEAST.value = int(sys.argv[4])
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
