"""Time of the reference kernels next to tflite_micro and LiteRT, in one process.

``python benchmarks/reference.py [--seconds S] [--output FILE] [MODEL.tflite ...]``

A sample is the mean over a turn of about 2 ms of whole inferences: copy the input in,
invoke, copy the output out. Engines take turns on the same random input, so that
whatever else the machine does hits all alike. Reported is the median of all turns, with
half the distance from the 10th to the 90th percentile; everything runs on one thread.
Before anything is timed, the outputs of 20 random inputs are compared with tflite_micro's.
"""

from __future__ import annotations

import os

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # before NumPy loads its BLAS

import argparse  # noqa: E402
import json  # noqa: E402
import platform  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Mapping  # noqa: E402
from importlib import metadata  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

import arenite as ar  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("ARENITE_SHARED", ROOT.parent / "shared")) / "models"
RESULTS = Path(__file__).resolve().parent / "results" / "reference.json"
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
#: LiteRT 2 corrupts the heap on this model, and with it the process.
CRASHES = {("litert", "keyword_scrambled_8bit")}
FLAGS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni", "asimd", "asimddp")
TURN_NS = 2_000_000

Array = npt.NDArray[Any]
Inference = Callable[[Array], Array]


def arenite(model: bytes) -> Inference:
    interp = ar.Interpreter(ar.load(model), engine="reference")

    def infer(x: Array) -> Array:
        interp.input(0)[...] = x
        interp.invoke()
        return interp.output(0).copy()

    return infer


def tflite_micro(model: bytes) -> Inference:
    from tflite_micro.python.tflite_micro import runtime  # noqa: PLC0415 - optional peer

    interp = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)

    def infer(x: Array) -> Array:
        interp.set_input(x, 0)
        interp.invoke()
        return np.asarray(interp.get_output(0))

    return infer


def litert(model: bytes) -> Inference:
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - optional peer

    interp = Interpreter(model_content=model, num_threads=1)
    interp.allocate_tensors()
    source, sink = interp.get_input_details()[0]["index"], interp.get_output_details()[0]["index"]

    def infer(x: Array) -> Array:
        interp.set_tensor(source, x)
        interp.invoke()
        return np.asarray(interp.get_tensor(sink))

    return infer


ENGINES: Mapping[str, Callable[[bytes], Inference]] = {
    "arenite": arenite,
    "tflite_micro": tflite_micro,
    "litert": litert,
}


def models() -> list[Path]:
    """The models to time: the well-known ones if they are there, and the bundled one."""
    found = [SHARED / f"{name}.tflite" for name in MODELS]
    bundled = ROOT / "examples" / "digits" / "digits_int8.tflite"
    return [bundled, *(path for path in found if path.exists())]


def random_inputs(model: ar.Model, count: int = 20, seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    tensor = model.inputs[0]
    if tensor.type.dtype.kind == "f":
        return list(rng.uniform(-1, 1, (count, *tensor.shape)).astype(tensor.type.dtype))
    info = np.iinfo(tensor.type.dtype)
    return list(
        rng.integers(info.min, info.max, (count, *tensor.shape), tensor.type.dtype, endpoint=True)
    )


def measure(path: Path, seconds: float) -> dict[str, Any]:
    """All engines on one model: times in microseconds, outputs equal to tflite_micro's."""
    data = path.read_bytes()
    inputs = random_inputs(ar.load(data))
    infer, absent = {}, {}
    for name, engine in ENGINES.items():
        if (name, path.stem) in CRASHES:
            absent[name] = "crashes"
            continue
        try:
            infer[name] = engine(data)
        except ImportError:
            absent[name] = "not installed"
        except (RuntimeError, ValueError):
            absent[name] = "refused"
    outputs = {name: [call(x) for x in inputs] for name, call in infer.items()}
    samples = take_turns(infer, inputs[0], seconds)
    return {
        "model": path.stem,
        "microseconds": {name: summary(turns) for name, turns in samples.items()},
        "absent": absent,
        "inputs": len(inputs),
        "outputs_equal_to_tflite_micro": equal_outputs(outputs),
    }


def equal_outputs(outputs: Mapping[str, list[Array]]) -> dict[str, int]:
    """For each other engine the number of inputs on which it gives tflite_micro's output."""
    return {
        name: sum(map(np.array_equal, outputs["tflite_micro"], others))
        for name, others in outputs.items()
        if name != "tflite_micro" and "tflite_micro" in outputs
    }


def take_turns(infer: Mapping[str, Inference], x: Array, seconds: float) -> dict[str, list[float]]:
    """Microseconds per inference, one sample per engine and turn."""
    calls = {name: calls_per_turn(call, x) for name, call in infer.items()}
    samples: dict[str, list[float]] = {name: [] for name in infer}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples["arenite"]) < 15:
        for name, call in infer.items():
            start = time.perf_counter_ns()
            for _ in range(calls[name]):
                call(x)
            elapsed = time.perf_counter_ns() - start
            samples[name].append(elapsed / calls[name] / 1000)
    return samples


def calls_per_turn(call: Inference, x: Array) -> int:
    """How many inferences take about one turn; also the warm-up."""
    start, calls = time.perf_counter_ns(), 0
    while (elapsed := time.perf_counter_ns() - start) < 5 * TURN_NS or calls < 3:
        call(x)
        calls += 1
    return max(1, round(calls * TURN_NS / elapsed))


def summary(turns: list[float]) -> dict[str, float]:
    low, median, high = (round(float(p), 3) for p in np.percentile(turns, (10, 50, 90)))
    return {"median": median, "p10": low, "p90": high, "turns": len(turns)}


def machine() -> dict[str, Any]:
    """What the times depend on."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    fields = dict(
        part
        for line in info.splitlines()
        if len(part := [s.strip() for s in line.split(":", 1)]) == 2
    )
    have = set(fields.get("flags", fields.get("Features", "")).split())
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "cpu": fields.get("model name", platform.processor() or platform.machine()),
        "flags": [flag for flag in FLAGS if flag in have],
        "cores": os.cpu_count(),
        "threads": 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": f"{blas['name']} {blas['version']}, 1 thread",
        "peers": {name: version(name) for name in ("tflite_micro", "ai_edge_litert")},
    }


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def table(results: list[dict[str, Any]]) -> Table:
    """Median in microseconds with half the spread from p10 to p90; who gives TFLM's bits."""
    view = Table(title="One inference on one thread, microseconds", box=None, title_justify="left")
    for heading in ("model", *ENGINES, "tflm/arenite", "bits: arenite", "litert"):
        view.add_column(heading, justify="left" if heading == "model" else "right", no_wrap=True)
    for result in results:
        times, equal = result["microseconds"], result["outputs_equal_to_tflite_micro"]
        cells = [cell(times.get(name), result["absent"].get(name, "")) for name in ENGINES]
        ratio = "-"
        if "tflite_micro" in times:
            ratio = f"{times['tflite_micro']['median'] / times['arenite']['median']:.2f}"
        bits = [
            f"{equal[name]}/{result['inputs']}" if name in equal else "-"
            for name in ("arenite", "litert")
        ]
        view.add_row(result["model"], *cells, ratio, *bits)
    return view


def cell(turns: dict[str, float] | None, absent: str) -> str:
    if turns is None:
        return absent
    spread = 50 * (turns["p90"] - turns["p10"]) / turns["median"]
    return f"{turns['median']:.{0 if turns['median'] >= 100 else 1}f} ±{spread:.0f}%"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.tflite")
    parser.add_argument("--seconds", type=float, default=3.0, help="per model")
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    console = Console(width=max(Console().width, 100), highlight=False)
    results = []
    for path in args.models or models():
        with console.status(f"timing {path.stem}"):
            results.append(measure(path, args.seconds))
    about = machine()
    console.print(table(results))
    console.print(f"{about['cpu']} ({', '.join(about['flags'])}), BLAS {about['blas']}")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    report = {"machine": about, "results": results}
    args.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {args.output}")


if __name__ == "__main__":
    main()
