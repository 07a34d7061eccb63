"""Time on this machine of models as they are and optimised, here and with LiteRT and TFLM.

``python benchmarks/optimized.py [--repeat N] [--only PASSES] [--output FILE] [MODEL.tflite ...]``

Every engine gets the file and what ``ar.optimize`` makes of it, in one process, in turns of about
2 ms; a table has the medians and half the spread from p10 to p90. By default vww_int8 of MLPerf
Tiny, half of whose multiplications are for channels that never change.
"""

from __future__ import annotations

from shared import SHARED, cell, machine_text, parser_of, write_results

# isort: split
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import arenite as ar
from arenite.analysis import timing
from arenite.analysis.benchmark import Spread
from arenite.analysis.inputs.files import random_inputs
from arenite.analysis.machine import machine
from arenite.analysis.statistics import statistics
from arenite.cli.trial import load_arenite
from arenite.formats import tflite
from arenite.peers.packages import PEERS, hushed

ENGINES = {"arenite": load_arenite, **{name: PEERS[name].load for name in ("litert", "tflm")}}


def measure(path: Path, only: list[str] | None, turns: int) -> dict[str, Any]:
    """The figures of one model: multiplications, bytes, and every engine's times."""
    model = ar.load(path)
    smaller, report = ar.optimize(model, only=only)
    with tempfile.TemporaryDirectory() as folder:
        files = {"original": path, "optimised": Path(folder) / "optimised.tflite"}
        files["optimised"].write_bytes(tflite.write(smaller))
        inputs = [one.array for one in random_inputs(model, 0)]
        with hushed():
            loaded = {
                f"{name}, {kind}": load(file)
                for name, load in ENGINES.items()
                if name == "arenite" or PEERS[name].version
                for kind, file in files.items()
            }
        sizes = {kind: file.stat().st_size for kind, file in files.items()}
    calls = {name: partial(infer, *inputs) for name, infer in loaded.items()}
    for name in ENGINES:  # LiteRT rounds in its own way: each is compared with itself
        pair = [call() for key, call in calls.items() if key.startswith(f"{name},")]
        if pair and not all(map(np.array_equal, *map(_listed, pair))):
            raise SystemExit(f"{path.name}: {name} gives other outputs for the optimised model")
    rng = np.random.default_rng(0)
    spreads = timing.take_turns(calls, turns, lambda: [rng.shuffle(x.reshape(-1)) for x in inputs])
    return {
        "file": path.name,
        "passes": [step.name for step in report.steps],
        "macs": {"original": statistics(model).macs, "optimised": statistics(smaller).macs},
        "bytes": sizes,
        "seconds": {name: vars(spread) for name, spread in spreads.items()},
    }


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def lines(result: dict[str, Any]) -> list[str]:
    """A model's figures as text."""
    macs, sizes = result["macs"], result["bytes"]
    text = [
        f"{result['file']}: {macs['original']:,} -> {macs['optimised']:,} MACs, "
        f"{sizes['original']:,} -> {sizes['optimised']:,} bytes"
    ]
    for name, values in result["seconds"].items():
        text.append(f"  {name:22s} {cell(Spread(**values)):>14s} us")
    return text


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--repeat", type=int, default=200, help="turns per engine and model")
    parser.add_argument("--only", help="passes, with commas; all by default")
    parser.add_argument("--output", type=Path, help="a JSON file to write")
    args = parser.parse_args()
    only = args.only.split(",") if args.only else None
    paths = args.models or [SHARED / "mlperf_tiny" / "vww_int8.tflite"]
    about = machine()
    print(machine_text(about))
    results = []
    for path in paths:
        results.append(measure(path, only, args.repeat))
        print("\n".join(lines(results[-1])))
    if args.output:
        write_results(args.output, {"machine": about, "results": results})


if __name__ == "__main__":
    main()
