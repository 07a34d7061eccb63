"""What a start takes: importing, then loading and planning a model, next to LiteRT.

``python benchmarks/start.py [--repeat N] [--chains COUNTS] [--against litert] [MODEL.tflite ...]``

- ``import arenite`` beyond ``import numpy``, in fresh processes, in turn with such that import
  NumPy alone.
- Load + plan in one process, in turn with LiteRT's ``Interpreter(model_path)`` and
  ``allocate_tensors()``: the models of MLPerf Tiny and chains of convolutions of 1 by 1, of the
  given numbers of operators. LiteRT packs weights for its vector kernels then, Arenite when the
  first inference comes: so the times of a start with an inference on zeros are there as well.
- The phases of Arenite's, by themselves; packing is the first inference's.

Times are medians, with the first and the third quartile.
"""

from __future__ import annotations

from shared import compiled_modules, models, parser_of

# isort: split
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import truediv
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

import arenite as ar
from arenite.analysis.machine import machine
from arenite.formats import tflite
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.peers.packages import hushed
from arenite.runtime.interpreter_config import Setup

MODELS = tuple(f"mlperf_tiny/{name}_int8" for name in ("kws", "vww", "ic", "ad"))
IMPORT = """
import time
import numpy
start = time.perf_counter()
import arenite
print(time.perf_counter() - start)
"""


# -- models -----------------------------------------------------------------------------


def chain(count: int) -> bytes:
    """A file with so many convolutions of 1 by 1, one after the other."""
    b = ar.ModelBuilder()
    rng = np.random.default_rng(0)
    last = b.input("x", (1, 4, 4, 8), "int8", scale=0.05)
    for number in range(count):
        weights = rng.integers(-9, 9, (8, 1, 1, 8), np.int8)
        weight = b.constant(f"w{number}", weights, scale=[0.01] * 8)
        bias = b.constant(f"b{number}", np.zeros(8, np.int32), scale=[0.0005] * 8)
        y = b.tensor(f"y{number}", (1, 4, 4, 8), "int8", scale=0.05)
        b.operator("CONV_2D", [last, weight, bias], [y], Conv2DOptions(1, 1, 1))
        last = y
    b.output(last)
    return tflite.write(b.build())


# -- what is timed ----------------------------------------------------------------------


def arenite(path: Path) -> Any:
    """Load and plan."""
    return ar.Interpreter(path)


def litert(path: Path) -> Any:
    """Load and plan, on one thread."""
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - may be absent

    interpreter = Interpreter(model_path=str(path), num_threads=1)
    interpreter.allocate_tensors()
    return interpreter


def phases(path: Path) -> dict[str, float]:
    """Seconds of every step from a file to an interpreter."""
    marks = [thread_time()]

    def mark(step: Callable[[], Any]) -> Any:
        result = step()
        marks.append(thread_time())
        return result

    model = mark(partial(ar.load, path))
    allocator = Setup.of(None, "native").allocator(None)
    resolver = ar.AllOpsResolver()
    micro = mark(
        partial(ar.MicroInterpreter, model, resolver, allocator=allocator, engine="native")
    )
    life, host = micro.life, micro.life.graph.host
    host.shrinks = True  # type: ignore[attr-defined]
    for step in (life.begin, life.prepare, life.plan, host.commit):
        mark(step)
    compiled = mark(life.compile)
    mark(compiled.program.pack)
    names = ("load", "resolve", "init", "prepare", "plan", "commit", "kernels", "pack")
    times = (end - begin for begin, end in pairwise(marks))
    return dict(zip(names, times, strict=True))


def seconds(call: Callable[[], object]) -> float:
    """What a call takes."""
    begin = thread_time()
    call()
    return thread_time() - begin


def in_turn(calls: dict[str, Callable[[], object]], turns: int) -> dict[str, list[float]]:
    """Seconds of every call, one after the other, so often."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()  # which imports what it needs
    for _ in range(turns):
        for name, call in calls.items():
            times[name].append(seconds(call))
    return times


def imports(turns: int) -> list[float]:
    """Seconds of ``import arenite`` beyond ``import numpy``, in fresh processes."""
    found = []
    for _ in range(turns + 1):
        done = subprocess.run(
            [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
        )
        found.append(float(done.stdout))
    return found[1:]  # the first one compiles the modules


# -- results ----------------------------------------------------------------------------


def spread(times: Sequence[float], unit: float = 1e3) -> str:
    """``1.23 (1.20 to 1.31)``."""
    ordered = sorted(times)
    low, high = (ordered[len(ordered) * part // 4] for part in (1, 3))
    return f"{statistics.median(ordered) * unit:.2f} ({low * unit:.2f} to {high * unit:.2f})"


def show(name: str, path: Path, turns: int, *, against: bool) -> None:
    """A model's lines."""
    loads = {"arenite": arenite, "litert": litert} if against else {"arenite": arenite}
    calls: dict[str, Callable[[], object]] = {}
    for engine, load in loads.items():
        calls[engine] = partial(load, path)
        calls[f"with an inference: {engine}"] = lambda load=load: load(path).invoke()
    with hushed():
        times = in_turn(calls, turns)
        parts = [phases(path) for _ in range(turns)]
    print(f"{name}:")
    for own in ("arenite", "with an inference: arenite"):
        line = f"  {own} {spread(times[own])} ms"
        if against:
            peers = times[own.replace("arenite", "litert")]
            ratio = statistics.median(map(truediv, times[own], peers))
            line += f", litert {spread(peers)} ms, {ratio:.2f} times"
        print(line)
    medians = ((key, statistics.median(part[key] for part in parts)) for key in parts[0])
    print(
        "  " + ", ".join(f"{key} {value * 1e6:.0f}" for key, value in medians) + " us", flush=True
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--repeat", type=int, default=50, help="turns per model")
    parser.add_argument("--chains", default="100,1000,10000", help="numbers of operators")
    parser.add_argument("--against", default="litert", help="litert, or nothing")
    args = parser.parse_args()
    print(f"{machine()['cpu']}, {machine()['cores']} cores, Python {machine()['python']}")
    with compiled_modules():
        print(f"import arenite beyond numpy: {spread(imports(max(5, args.repeat // 2)))} ms")
    against = args.against == "litert"
    for path in args.models or models(MODELS):
        show(path.stem, path, args.repeat, against=against)
    for count in map(int, filter(None, args.chains.split(","))):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "chain.tflite")
            path.write_bytes(chain(count))
            turns = max(3, min(args.repeat, 2000 // count))
            show(f"{count:,} convolutions", path, turns, against=against)


if __name__ == "__main__":
    main()
