"""Sessions of ``arenite.mnn`` next to those of the MNN package: time and memory.

``python benchmarks/mnn.py [--seconds S] [--output FILE] [MODEL.mnn ...]``

Both run the same code in one process and take turns of about 2 ms on one thread; an inference
is: copy the input in, ``runSession``, copy the output out. Reported is the median of all turns.
Memory is what ``getSessionInfo`` says (MNN: all buffers of its runtime, reordered weights
included), and for Arenite its parts: the planned arena, the session's inputs and outputs, the
weights that the native kernels have packed. Before anything is timed, the outputs of 20 random
inputs are compared.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from reference import SHARED, Array, cell, machine, summary, take_turns, version  # first: threads

import numpy as np  # isort: skip
from rich.console import Console  # isort: skip
from rich.table import Table  # isort: skip

RESULTS = Path(__file__).resolve().parent / "results" / "mnn.json"
MODELS = ("ic_float32", "vww_float32", "ad_float32")
PACKAGES = {"arenite": "arenite.mnn", "mnn": "MNN"}
CONFIG = {"backend": "CPU", "numThread": 1}
MEMORY, MEGABYTE = 0, 1 << 20


def session_of(package: Any, path: Path) -> tuple[Any, Any]:
    interpreter = package.Interpreter(str(path))
    return interpreter, interpreter.createSession(CONFIG)


def inference(interpreter: Any, session: Any) -> Callable[[Array], Array]:
    source = interpreter.getSessionInput(session).getNumpyData()
    sink = interpreter.getSessionOutput(session).getNumpyData()
    run = interpreter.runSession

    def infer(x: Array) -> Array:
        source[...] = x
        run(session)
        copy: Array = sink.copy()
        return copy

    return infer


def measure(path: Path, seconds: float) -> dict[str, Any]:
    """Both packages on one model."""
    made = {name: session_of(import_module(module), path) for name, module in PACKAGES.items()}
    infer = {name: inference(*pair) for name, pair in made.items()}
    interpreter, session = made["arenite"]
    shape = interpreter.getSessionInput(session).getShape()
    inputs = np.random.default_rng(0).uniform(-1, 1, (20, *shape)).astype(np.float32)
    outputs = {name: np.stack([call(x) for x in inputs]) for name, call in infer.items()}
    theirs = outputs["mnn"]
    samples = take_turns(infer, inputs[0], seconds)
    return {
        "model": path.stem,
        "microseconds": {name: summary(turns) for name, turns in samples.items()},
        "largest_difference": float(np.abs(outputs["arenite"] - theirs).max()),
        "largest_output": float(np.abs(theirs).max()),
        "megabytes": {
            name: net.getSessionInfo(session, MEMORY) for name, (net, session) in made.items()
        },
        "arenite_bytes": session.memory(),
    }


def table(results: list[dict[str, Any]]) -> Table:
    """Medians in microseconds, their ratio, megabytes."""
    view = Table(
        title="One session on one thread: microseconds, megabytes", box=None, title_justify="left"
    )
    headings = ("arenite", "mnn", "mnn/arenite", "arenite MB", "arena", "tensors", "kernels")
    for heading in ("model", *headings, "mnn MB", "difference"):
        view.add_column(heading, justify="left" if heading == "model" else "right", no_wrap=True)
    for result in results:
        times, megabytes = result["microseconds"], result["megabytes"]
        parts = [f"{size / MEGABYTE:.3f}" for size in result["arenite_bytes"].values()]
        view.add_row(
            result["model"],
            *(cell(times[name], "") for name in PACKAGES),
            f"{times['mnn']['median'] / times['arenite']['median']:.2f}",
            f"{megabytes['arenite']:.3f}",
            *parts,
            f"{megabytes['mnn']:.3f}",
            f"{result['largest_difference'] / result['largest_output']:.0e}",
        )
    return view


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.mnn")
    parser.add_argument("--seconds", type=float, default=5.0, help="per model")
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    console = Console(width=max(Console().width, 120), highlight=False)
    paths = args.models or [SHARED / "mnn" / f"{name}.mnn" for name in MODELS]
    results = []
    for path in paths:
        with console.status(f"timing {path.stem}"):
            results.append(measure(path, args.seconds))
    about = machine()
    about["peers"] = {"MNN": version("MNN")}
    console.print(table(results))
    console.print(f"{about['cpu']} ({', '.join(about['flags'])}), MNN {about['peers']['MNN']}")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    report = {"machine": about, "results": results}
    args.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {args.output}")


if __name__ == "__main__":
    main()
