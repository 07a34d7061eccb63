"""Sessions of ``arenite.mnn`` next to those of the MNN package: time and memory.

``python benchmarks/mnn.py [--seconds S] [--output FILE] [MODEL.mnn ...]``

Both run the same code in one process and take turns of about 2 ms on one thread; an inference
is: copy the input in, ``runSession``, copy the output out. Reported is the median of all turns.
Memory is what ``getSessionInfo`` says (MNN: all buffers of its runtime, reordered weights
included), and for Arenite its parts: the planned arena, the session's inputs and outputs, the
weights that the native kernels have packed. Before anything is timed, the outputs of 20 random
inputs are compared.

Besides the models with floats there are two that MNN's own quantiser makes of them, and those
that its converter makes of int8 files. The package crashes on one of these: every model is first
run by it in another process, and has no figures of MNN's then.
"""

from __future__ import annotations

from shared import RESULTS, ROOT, SHARED, cell, machine_text, parser_of, table_of, write_results

# isort: split
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from arenite.analysis import timing
from arenite.analysis.benchmark import Spread
from arenite.analysis.machine import machine
from arenite.peers.packages import PEERS

sys.path.append(str(ROOT))
from tests.mnn_oracle import MnnError, MnnOracle

Array = npt.NDArray[Any]
MODELS = ("ic_float32", "vww_float32", "ad_float32", "kws_int8", "ic_int8")
#: Models of images, and their width: quantised for the benchmark.
QUANTIZED = {"ic_float32": 32, "vww_float32": 96}
PACKAGES = {"arenite": "arenite.mnn", "mnn": "MNN"}
CONFIG = {"backend": "CPU", "numThread": 1}
MEMORY, MEGABYTE = 0, 1 << 20
#: Turns of each package, at most.
TURNS = 10_000


def session_of(package: Any, path: Path) -> tuple[Any, Any]:
    interpreter = package.Interpreter(str(path))
    return interpreter, interpreter.createSession(CONFIG)


def inference(interpreter: Any, session: Any, dtype: Any) -> Callable[[Array], Array]:
    source = interpreter.getSessionInput(session)
    sink = interpreter.getSessionOutput(session).getNumpyData()
    run = interpreter.runSession
    # MNN has no name for int8, and no array of it.
    is_int8 = dtype == np.int8
    write = source.fromNumpy if is_int8 else partial(np.copyto, source.getNumpyData())

    def infer(x: Array) -> Array:
        write(x)
        run(session)
        copy: Array = sink.copy()
        return copy

    return infer


def runs(path: Path) -> bool:
    """Whether the MNN package runs a model, tried in a process of its own."""
    oracle = MnnOracle()
    try:
        oracle.run(path.read_bytes(), {})
    except MnnError:
        return False
    finally:
        oracle.close()
    return True


def models(folder: Path) -> Iterator[Path]:
    """The shared models, and what MNN's quantiser makes of some."""
    oracle = MnnOracle()
    for name in MODELS:
        yield SHARED / "mnn" / f"{name}.mnn"
    for name, size in QUANTIZED.items():
        path = folder / f"{name.removesuffix('_float32')}_quantised.mnn"
        path.write_bytes(oracle.quantize((SHARED / "mnn" / f"{name}.mnn").read_bytes(), size))
        yield path
    oracle.close()


def random_inputs(shape: tuple[int, ...], dtype: Any) -> Array:
    rng = np.random.default_rng(0)
    if dtype == np.float32:
        return rng.uniform(-1, 1, (20, *shape)).astype(np.float32)
    return rng.integers(-128, 128, (20, *shape)).astype(dtype)


def measure(path: Path, seconds: float) -> dict[str, Any]:
    """Both packages on one model."""
    names = list(PACKAGES) if runs(path) else ["arenite"]
    made = {name: session_of(import_module(PACKAGES[name]), path) for name in names}
    interpreter, session = made["arenite"]
    source = interpreter.getSessionInput(session)
    dtype = source.getNumpyData().dtype
    infer = {name: inference(*pair, dtype) for name, pair in made.items()}
    inputs = random_inputs(source.getShape(), dtype)
    outputs = {name: np.stack([call(x) for x in inputs]) for name, call in infer.items()}
    theirs = outputs.get("mnn")
    calls = {name: partial(call, inputs[0]) for name, call in infer.items()}
    spreads = timing.take_turns(calls, TURNS, lambda: None, seconds)
    compared = (
        {}
        if theirs is None
        else {
            "largest_difference": float(np.abs(outputs["arenite"] - theirs).max()),
            "largest_output": float(np.abs(theirs).max()),
        }
    )
    return {
        "model": path.stem,
        "microseconds": {name: summary(spread) for name, spread in spreads.items()},
        **compared,
        "megabytes": {
            name: net.getSessionInfo(session, MEMORY) for name, (net, session) in made.items()
        },
        "arenite_bytes": session.memory(),
    }


def summary(spread: Spread) -> dict[str, float]:
    """Microseconds."""
    values = {key: round(1e6 * getattr(spread, key), 3) for key in ("median", "p10", "p90")}
    return {**values, "turns": spread.samples}


def table(results: list[dict[str, Any]]) -> Table:
    """Medians in microseconds, their ratio, megabytes."""
    headings = ("arenite", "mnn", "mnn/arenite", "arenite MB", "arena", "tensors", "kernels")
    view = table_of(
        "One session on one thread: microseconds, megabytes",
        ("model", *headings, "mnn MB", "difference"),
    )
    for result in results:
        times, megabytes = result["microseconds"], result["megabytes"]
        cells = {name: cell(SimpleNamespace(**one), 1) for name, one in times.items()}
        parts = [f"{size / MEGABYTE:.3f}" for size in result["arenite_bytes"].values()]
        ours = cells["arenite"], [f"{megabytes['arenite']:.3f}", *parts]
        if "mnn" not in times:
            view.add_row(result["model"], ours[0], "crashes", "", *ours[1])
            continue
        view.add_row(
            result["model"],
            ours[0],
            cells["mnn"],
            f"{times['mnn']['median'] / times['arenite']['median']:.2f}",
            *ours[1],
            f"{megabytes['mnn']:.3f}",
            f"{result['largest_difference'] / result['largest_output']:.0e}",
        )
    return view


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.mnn")
    parser.add_argument("--seconds", type=float, default=5.0, help="per model")
    parser.add_argument("--output", type=Path, default=RESULTS / "mnn.json")
    args = parser.parse_args()
    console = Console(width=max(Console().width, 120), highlight=False)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for path in args.models or models(Path(folder)):
            with console.status(f"timing {path.stem}"):
                results.append(measure(path, args.seconds))
    about = {**machine(), "peers": {"MNN": PEERS["mnn"].version}}
    console.print(table(results))
    console.print(f"{machine_text(about)}, MNN {PEERS['mnn'].version}")
    write_results(args.output, {"machine": about, "results": results})


if __name__ == "__main__":
    main()
