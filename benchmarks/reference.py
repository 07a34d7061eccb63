"""Time of the reference kernels next to tflite_micro and LiteRT, in one process.

``python benchmarks/reference.py [--repeat N] [--output FILE] [MODEL.tflite ...]``

A sample is the mean over a turn of about 2 ms of whole inferences: copy the input in,
invoke, copy the output out. Engines take turns on the same random input, so that
whatever else the machine does hits all alike. Reported is the median of all turns, with
half the distance from the 10th to the 90th percentile; everything runs on one thread.
The outputs of 20 random inputs are compared with tflite_micro's. Peers are tried in a process of
their own first: LiteRT 2 crashes on one of the models.
"""

from __future__ import annotations

from shared import RESULTS, cell, machine_text, models, parser_of, table_of, write_results

# isort: split
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arenite.analysis.benchmark import Benchmark
from arenite.analysis.machine import machine
from arenite.cli.measure import measure
from arenite.peers.packages import PEERS, peers_called
from arenite.runtime.interpreter_config import Setup

MODELS = (
    "mlperf_tiny/kws_int8",
    "mlperf_tiny/vww_int8",
    "mlperf_tiny/ic_int8",
    "mlperf_tiny/ad_int8",
    "mlperf_tiny/sww_int8",
    "tflm_examples/person_detect",
    "tflm_examples/micro_speech_quantized",
    "tflm_examples/keyword_scrambled_8bit",
    "tflm_examples/trained_lstm_int8",
    "tflm_examples/hello_world_int8",
)
#: What a report calls the engines.
NAMES = {"arenite": "arenite", "tflm": "tflite_micro", "litert": "litert"}
#: Engines whose outputs are compared with tflite_micro's.
ENGINES = ("arenite", "litert")


def facts(found: Benchmark) -> dict[str, Any]:
    """The figures of a model: times in microseconds, outputs equal to tflite_micro's."""
    times = {NAMES[one.name]: one for one in found.engines}
    return {
        "model": Path(found.file).stem,
        "microseconds": {
            name: {
                "median": round(1e6 * one.inference.median, 3),
                "p10": round(1e6 * one.inference.p10, 3),
                "p90": round(1e6 * one.inference.p90, 3),
                "turns": one.inference.samples,
            }
            for name, one in times.items()
        },
        "absent": {NAMES[name]: reason for name, reason in found.absent.items()},
        "inputs": found.compared_inputs,
        "outputs_equal_to_tflite_micro": {
            name: one.equal_outputs for name, one in times.items() if one.equal_outputs is not None
        },
    }


def table(results: Sequence[Benchmark]) -> Table:
    """Median in microseconds with half the spread from p10 to p90; who gives TFLM's bits."""
    headings = ("model", *NAMES.values(), "tflm/arenite", "bits: arenite", "litert")
    view = table_of("One inference on one thread, microseconds", headings)
    for found in results:
        engines = {one.name: one for one in found.engines}
        times = {name: one.inference for name, one in engines.items()}
        cells = [cell(times.get(name)) for name in NAMES]
        ratio = "-"
        if "tflm" in times:
            ratio = f"{times['tflm'].median / times['arenite'].median:.2f}"
        equal = [engines[name].equal_outputs if name in engines else None for name in ENGINES]
        bits = ["-" if one is None else f"{one}/{found.compared_inputs}" for one in equal]
        view.add_row(Path(found.file).stem, *cells, ratio, *bits)
    return view


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--repeat", type=int, default=500, help="turns per engine and model")
    parser.add_argument("--output", type=Path, default=RESULTS / "reference.json")
    args = parser.parse_args()
    console = Console(width=max(Console().width, 100), highlight=False)
    setup, peers, results = Setup.of(None, "reference"), peers_called(["tflm", "litert"]), []
    for path in args.models or models(MODELS):
        with console.status(f"timing {path.stem}"):
            results.append(measure(path, peers, args.repeat, setup=setup))
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    about = {
        **machine(),
        "threads": 1,
        "blas": f"{blas['name']} {blas['version']}, 1 thread",
        "peers": {"tflite_micro": PEERS["tflm"].version, "ai_edge_litert": PEERS["litert"].version},
    }
    console.print(table(results))
    console.print(f"{machine_text(about)}, BLAS {about['blas']}")
    write_results(args.output, {"machine": about, "results": [facts(one) for one in results]})


if __name__ == "__main__":
    main()
