"""Time of the native engine next to LiteRT with XNNPACK, tflite_micro and MNN, in one process.

``python benchmarks/native.py [--repeat N] [--against PEERS] [--output FILE] [MODEL.tflite ...]``

Per model the figures of ``arenite bench``: load + plan, first inference, inferences (turns of
about 2 ms, engines in turn), batches, every operator. And what a start takes in fresh processes:
importing, loading and planning, beyond ``import numpy``, and the first load of another model
afterwards; and ``predict`` on 10,000 samples of two models, next to LiteRT, sample by sample and
some at a time.
``ARENITE_ISA`` chooses the instruction set, as always.
"""

from __future__ import annotations

from shared import (
    RESULTS,
    cell,
    compiled_modules,
    machine_text,
    models,
    parser_of,
    table_of,
)

# isort: split
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from held import hold_litert_to_avx2
from rich.console import Console
from rich.table import Table

import arenite as ar
from arenite.analysis import timing
from arenite.analysis.benchmark import Benchmark, bench_facts
from arenite.analysis.inputs.files import random_inputs
from arenite.analysis.machine import machine
from arenite.cli.measure import measure
from arenite.cli.trial import try_out
from arenite.peers.packages import PEERS, Peer, hushed, peers_called
from arenite.runtime.io_conversion import dequantized

MODELS = (
    "mlperf_tiny/kws_int8",
    "mlperf_tiny/vww_int8",
    "mlperf_tiny/ic_int8",
    "mlperf_tiny/ad_int8",
    "mlperf_tiny/sww_int8",
    "mlperf_tiny/ic_float32",
    "mlperf_tiny/vww_float32",
    "mlperf_tiny/ad_float32",
    "tflm_examples/person_detect",
    "tflm_examples/micro_speech_quantized",
    "tflm_examples/keyword_scrambled_8bit",
    "tflm_examples/trained_lstm_int8",
    "tflm_examples/trained_lstm",
    "tflm_examples/dtln_noise_suppression",
    "tflm_examples/hello_world_int8",
)
BATCH = 10_000
ROWS = 250  # of a LiteRT that takes a batch at a time
STARTS = 15
START = """
import sys, time
start = time.perf_counter()
import numpy
numpy_there = time.perf_counter()
import arenite
imported = time.perf_counter()
interp = arenite.Interpreter(sys.argv[1])
planned = time.perf_counter()
other = arenite.Interpreter(sys.argv[2])
end = time.perf_counter()
print(numpy_there - start, imported - numpy_there, planned - imported, end - planned)
"""


def start(path: Path, other: Path) -> dict[str, float]:
    """Median seconds in fresh processes: NumPy, Arenite on top of it, load + plan of two models.

    The first load imports the operators as well.
    """
    rows = []
    for _ in range(STARTS + 1):
        done = subprocess.run(
            [sys.executable, "-c", START, str(path), str(other)],
            capture_output=True,
            text=True,
            check=True,
        )
        rows.append([float(value) for value in done.stdout.split()])
    columns = zip(*rows[1:], strict=True)  # the first one compiles the modules
    names = ("import_numpy", "import_arenite", "load_and_plan", "load_and_plan_another")
    return dict(zip(names, map(statistics.median, columns), strict=True))


def large_batch(path: Path, peers: Sequence[Peer], turns: int) -> dict[str, Any]:
    """Samples per second of ``predict`` on 10,000 samples, and of LiteRT.

    Floats are what the same samples mean, which ``predict`` quantises. LiteRT goes sample by
    sample, and by ``ROWS`` samples where the model can be resized to them.
    """
    interp = ar.Interpreter(path)
    inputs = [one.array for one in random_inputs(interp.model, 0)]
    batch = [timing.shuffled(array, BATCH) for array in inputs]
    calls: dict[str, tuple[timing.Call, int]] = {
        f"arenite, threads={threads}": (
            partial(interp.predict, tuple(batch), threads=threads),
            BATCH,
        )
        for threads in (1, 2)
    }
    real = [dequantized(x, one) for x, one in zip(batch, interp.model.inputs, strict=True)]
    calls["arenite, floats"] = partial(interp.predict, tuple(real), quantize=True), BATCH
    if PEERS["litert"] in peers and not try_out(PEERS["litert"], path, 0, RESULTS).reason:
        with hushed():
            infer = PEERS["litert"].load(path)
        calls["a loop over LiteRT"] = timing.loop_over(infer, batch), BATCH
        if (resized := litert_in_batches(path, batch)) is not None:
            calls[f"LiteRT resized to {ROWS} rows"] = resized, BATCH
    rates = timing.rates(calls, turns)
    return {
        "model": path.stem,
        "samples": BATCH,
        "per_second": {name: vars(spread) for name, spread in rates.items()},
    }


def litert_in_batches(path: Path, batch: Sequence[Any]) -> timing.Call | None:
    """All samples, by an interpreter with so many rows; None where LiteRT refuses to be resized."""
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - a peer

    try:
        with hushed():
            interp = Interpreter(str(path), num_threads=1)
            inputs = interp.get_input_details()
            for one in inputs:
                interp.resize_tensor_input(one["index"], [ROWS, *one["shape"][1:]])
            interp.allocate_tensors()
            interp.invoke()
    except (RuntimeError, ValueError):
        return None
    outputs = interp.get_output_details()
    parts = [
        [array[begin : begin + ROWS].reshape(ROWS, *array.shape[2:]) for array in batch]
        for begin in range(0, BATCH, ROWS)
    ]

    def run() -> list[Any]:
        results = []
        for part in parts:
            for one, samples in zip(inputs, part, strict=True):
                interp.set_tensor(one["index"], samples)
            interp.invoke()
            results.append([interp.get_tensor(one["index"]) for one in outputs])
        return results

    return run


# -- results ---------------------------------------------------------------------------


def table(results: Sequence[Benchmark]) -> Table:
    """A line per model: times with half the spread from p10 to p90, ratios, batches, loads."""
    peers = list(PEERS)
    ratios_to = (f"x {name}" for name in peers)
    headings = ("model", "arenite", "litert", *ratios_to, "1 thread", "2", "load + plan", "litert")
    view = table_of("One inference on one thread", headings)
    for result in results:
        spreads = {engine.name: engine.inference for engine in result.engines}
        own = spreads["arenite"].median
        ratios = [f"{spreads[p].median / own:.2f}" if p in spreads else "-" for p in peers]
        rates = [f"{rate.per_second.median:,.0f}/s" for rate in result.batches if rate.threads]
        times = [cell(spreads.get(name)) for name in ("arenite", "litert")]
        loads = {engine.name: engine.load for engine in result.engines}
        planned = [cell(loads.get(name)) for name in ("arenite", "litert")]
        view.add_row(Path(result.file).stem, *times, *ratios, *rates, *planned)
    return view


def facts(result: Benchmark) -> dict[str, Any]:
    """The figures of a model without the machine, and without where its file lies."""
    figures = bench_facts(result)
    del figures["machine"]
    return {**figures, "file": Path(result.file).name}


def rounded(value: Any) -> Any:
    """Floats with five digits: more say nothing."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def lines_of(report: dict[str, Any]) -> str:
    """JSON with a line per model."""
    results = ",\n".join(map(json.dumps, report["results"]))
    rest = {key: value for key, value in report.items() if key != "results"}
    return f'{json.dumps(rest, indent=1)[:-2]},\n "results": [\n{results}\n]}}\n'


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--repeat", type=int, default=200, help="turns per engine and model")
    parser.add_argument("--against", default=",".join(PEERS), help="peers, with commas")
    parser.add_argument(
        "--hold-litert",
        action="store_true",
        help="let LiteRT see AVX2 and FMA, nothing later: for ARENITE_ISA=avx2, see held.py",
    )
    parser.add_argument("--output", type=Path, default=RESULTS / "native.json")
    args = parser.parse_args()
    peers = peers_called([name for name in args.against.split(",") if name])
    asked = hold_litert_to_avx2() if args.hold_litert else None
    console = Console(width=max(Console().width, 110), highlight=False)
    results, paths = [], args.models or models(MODELS)
    first = next((path for path in paths if path.stem == "kws_int8"), paths[0])
    other = next((path for path in paths if path.stem == "ad_int8"), paths[-1])
    with compiled_modules():
        with console.status("starts"):
            started = start(first, other)
        for path in paths:
            with console.status(f"timing {path.stem}"):
                results.append(measure(path, peers, args.repeat))
        with console.status("large batches"):
            turns = max(3, args.repeat // 20)
            batches = [large_batch(path, peers, turns) for path in dict.fromkeys((first, other))]
    about = {**machine(), "peers": {peer.name: peer.version for peer in peers}}
    if asked is not None and not asked():
        raise SystemExit("LiteRT had chosen its kernels before it was held to AVX2")
    console.print(table(results))
    console.print(f"{machine_text(about)}, kernels: {results[0].isa}")
    console.print(
        f"{first.stem}: import {1000 * started['import_arenite']:.1f} ms beyond NumPy, load + plan "
        f"{1000 * started['load_and_plan']:.1f} ms in a fresh process; then {other.stem}: "
        f"{1000 * started['load_and_plan_another']:.1f} ms"
    )
    for batch in batches:
        for name, spread in batch["per_second"].items():
            rate = f"{spread['median']:,.0f} per second"
            console.print(f"{batch['model']}, {BATCH:,} samples, {name}: {rate}")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    report = {
        "machine": about,
        "isa": results[0].isa,
        "litert_isa": "avx2" if args.hold_litert else "its own choice",
        "start": {"model": first.stem, **started},
        "batches": batches,
        "results": [facts(result) for result in results],
    }
    args.output.write_text(lines_of(rounded(report)), encoding="utf-8")
    console.print(f"written to {args.output}")


if __name__ == "__main__":
    main()
