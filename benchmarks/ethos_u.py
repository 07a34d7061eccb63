"""Files that Vela compiled: their commands in C, in the NumPy reference, and the original model.

``python benchmarks/ethos_u.py ORIGINAL COMPILED [ORIGINAL COMPILED ...] [--turns N]``

All take turns, in one process and one thread, in its CPU time; reported is the median of all turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

import arenite as ar

#: Inferences in a row, which a clock tells from nothing.
CALLS = {"original": 20, "C": 20, "reference": 1}


def in_turns(ways: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """Median microseconds of an inference."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            start = time.thread_time()
            for _ in range(CALLS[name]):
                way()
            taken[name].append((time.thread_time() - start) / CALLS[name])
    return {name: 1e6 * statistics.median(times) for name, times in taken.items()}


def times(original: Path, compiled: Path, turns: int) -> dict[str, float]:
    """Of both models on one random input, whose outputs have to be the same."""
    interpreters = {
        "original": ar.Interpreter(original),
        "C": ar.Interpreter(compiled, engine="native"),
        "reference": ar.Interpreter(compiled, engine="reference"),
    }
    (tensor,) = ar.load(original).inputs
    info = np.iinfo(tensor.type.dtype)
    x = np.random.default_rng(0).integers(info.min, info.max + 1, tensor.shape)
    outputs = [one(x.astype(tensor.type.dtype)) for one in interpreters.values()]
    assert all(np.array_equal(one, outputs[0]) for one in outputs)
    return in_turns({name: one.invoke for name, one in interpreters.items()}, turns)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("files", type=Path, nargs="+", help="originals and compiled files in turn")
    parser.add_argument("--turns", type=int, default=15)
    given = parser.parse_args()
    for original, compiled in zip(given.files[::2], given.files[1::2], strict=True):
        found = times(original, compiled, given.turns)
        print(
            f"{compiled.name:36} reference {found['reference']:9.1f} us, C {found['C']:8.1f} us, "
            f"original {found['original']:8.1f} us; reference / C "
            f"{found['reference'] / found['C']:6.1f}, C / original "
            f"{found['C'] / found['original']:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
