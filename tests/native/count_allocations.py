"""Run by test_allocations.py in a process of its own, with ``count_allocations.c`` preloaded.

Prints what every model takes from the heap in one inference and in many, as JSON.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
from collections.abc import Callable

import numpy as np

import arenite as ar
from arenite.runtime.whole_call import whole_call

MANY = 100
TAKEN = ctypes.c_long.in_dll(ctypes.CDLL(None), "allocations")


def taken(call: Callable[[], object]) -> int:
    """Allocations during a call."""
    before = TAKEN.value
    call()
    return TAKEN.value - before


def many(call: Callable[[], object]) -> None:
    for _ in range(MANY):
        call()


def left_behind(call: Callable[[], object]) -> int:
    """Python's blocks that are in use after a call, and were not before."""
    before = sys.getallocatedblocks()
    call()
    return sys.getallocatedblocks() - before


def counts(path: str) -> dict[str, int]:
    """Allocations; ``blocks`` are Python's, all others the heap's."""
    interp = ar.Interpreter(path, engine="native")
    call = whole_call(interp._micro)
    assert call is not None, "an operator runs in Python"
    ports = [interp.input(i) for i in range(len(interp.model.inputs))]
    outputs = [interp.output(i) for i in range(len(interp.model.outputs))]
    x, y = ([np.stack([a.copy()] * MANY) for a in arrays] for arrays in (ports, outputs))

    def predict(samples: int) -> None:
        call.predict([a[:samples] for a in x], [a[:samples] for a in y])

    for warm in (interp.invoke, lambda: predict(1), lambda: many(interp.invoke)):
        taken(warm)
    return {
        # The least of three: some Pythons keep a few objects for themselves at first.
        "blocks": min(left_behind(lambda: many(interp.invoke)) for _ in range(3)),
        "invoke": taken(interp.invoke),
        "many invokes": taken(lambda: many(interp.invoke)),
        "predict 1": taken(lambda: predict(1)),
        "predict many": taken(lambda: predict(MANY)),
    }


if __name__ == "__main__":
    gc.disable()
    checked = taken(lambda: np.empty(1 << 16))
    print(json.dumps({"check": checked, **{path: counts(path) for path in sys.argv[1:]}}))
