"""Large networks: one thread next to LiteRT with XNNPACK, and two threads next to one.

``python benchmarks/large.py [--turns N] [--threads N] [--json] [--output FILE] [NAME ...]``

A NAME is one of ``tests/native/large_networks.py``: architectures as published in int8, with random
weights of a seed; all by default. Only ``invoke()`` is timed, in one process: engines take turns of
some inferences, of which the first is for the caches. Times are the least and the median of all
inferences. ``xLiteRT`` is LiteRT's time over that of one thread, ``x1`` that of one thread over
that of several, each with the quartiles of its turns: ratios of what was measured one after the
other. Outputs of all numbers of threads are compared before, byte by byte.

Both processors must be free for two threads: the load average is printed.
"""

from __future__ import annotations

from shared import ROOT, parser_of, table_of, write_results

# isort: split
import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import arenite as ar
from arenite.analysis.machine import machine
from arenite.formats import tflite
from arenite.native.program import isa
from arenite.peers.packages import PEERS, hushed

sys.path.append(str(ROOT))
from tests.native.large_networks import LARGE, large_network

Invoke = Callable[[], object]
#: What is timed of a turn.
INFERENCES = 5
PEER = "litert"


def litert(path: Path, x: np.ndarray[Any, Any]) -> Invoke:
    """LiteRT's inference on one thread."""
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - may be absent

    with hushed():
        interp = Interpreter(model_path=str(path), num_threads=1)
        interp.allocate_tensors()
    interp.set_tensor(interp.get_input_details()[0]["index"], x)
    run: Invoke = interp.invoke
    return run


def engines(path: Path, threads: int) -> dict[str, Invoke]:
    """Inferences on the same input by engine; bits of ours are the same."""
    counts = sorted({1, threads})
    ours = {count: ar.Interpreter(path, threads=count) for count in counts}
    x = np.random.default_rng(0).integers(-128, 128, ours[1].input(0).shape, np.int8)
    for count, interp in ours.items():
        interp.input(0)[...] = x
        interp.invoke()
        if not np.array_equal(interp.output(0), ours[1].output(0)):
            raise SystemExit(f"{path.stem}: {count} threads compute something else than one")
    found: dict[str, Invoke] = {str(count): interp.invoke for count, interp in ours.items()}
    if PEERS[PEER].version:
        found[PEER] = litert(path, x)
    return found


def turns_of(calls: Mapping[str, Invoke], turns: int) -> dict[str, list[list[float]]]:
    """Seconds of every inference, turn by turn."""
    times: dict[str, list[list[float]]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            call()
            times[name].append([_seconds(call) for _ in range(INFERENCES)])
    return times


def _seconds(call: Invoke) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ratio(above: list[list[float]], below: list[list[float]]) -> dict[str, float]:
    """How much longer one takes than the other: by their least times, and turn by turn."""
    each = [min(a) / min(b) for a, b in zip(above, below, strict=True)]
    low, middle, high = statistics.quantiles(each, n=4)
    least = min(map(min, above)) / min(map(min, below))
    return {"least": least, "median": middle, "low": low, "high": high}


def measure(name: str, turns: int, threads: int) -> dict[str, Any]:
    """The figures of a network."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.tflite"
        path.write_bytes(tflite.write(large_network(name)))
        times = turns_of(engines(path, threads), turns)
    micro = {
        engine: {
            "least": 1e6 * min(map(min, runs)),
            "median": 1e6 * statistics.median(one for run in runs for one in run),
        }
        for engine, runs in times.items()
    }
    ratios = {"several": ratio(times["1"], times[str(threads)])}
    if PEER in times:
        ratios[PEER] = ratio(times[PEER], times["1"])
    return {"name": name, "threads": threads, "us": micro, "ratios": ratios}


# -- results -----------------------------------------------------------------------------


def table(rows: Sequence[dict[str, Any]], threads: int) -> Table:
    """A line per network."""
    headings = ("network", "LiteRT", "1 thread", f"{threads} threads", "xLiteRT", "x1")
    view = table_of("One inference, microseconds (least)", headings)
    for row in rows:
        micro = [row["us"].get(engine) for engine in (PEER, "1", str(threads))]
        times = [f"{one['least']:,.0f}" if one else "-" for one in micro]
        ratios = [text_of(row["ratios"].get(which)) for which in (PEER, "several")]
        view.add_row(row["name"], *times, *ratios)
    return view


def text_of(found: dict[str, float] | None) -> str:
    """``1.52 (1.49-1.55)``: by the least times, and the quartiles of turns."""
    if found is None:
        return "-"
    return f"{found['least']:.2f} ({found['low']:.2f}-{found['high']:.2f})"


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(LARGE))
    parser.add_argument("--turns", type=int, default=40, metavar="N", help="of every engine")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write them as well")
    found = parser.parse_args()
    if unknown := [name for name in found.names if name not in LARGE]:
        parser.error(f"expected some of {', '.join(LARGE)}, got {unknown[0]}")
    return found


def main() -> None:
    args = arguments()
    rows = [measure(name, args.turns, args.threads) for name in args.names or LARGE]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    about = {**machine(), "isa": isa(), "load": load, PEER: PEERS[PEER].version}
    report = {"machine": about, "results": rows}
    if args.output:
        write_results(args.output, report)
    if args.json:
        print(json.dumps(report, indent=1))
        return
    console = Console(width=max(Console().width, 100), highlight=False)
    console.print(table(rows, args.threads))
    busy = "" if load is None else f", load average {load:.1f}"
    console.print(f"{about['cpu']}, {about['cores']} cores, {about['isa']} kernels{busy}")


if __name__ == "__main__":
    main()
