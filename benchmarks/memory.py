"""What ``arenite optimize`` wins of memory, flash, products and cycles, model by model.

``python benchmarks/memory.py [--output FILE] [--verify N] [--target NAME ...] [MODEL ...]``

A MODEL is a file's path, or the name of an architecture of ``tests/optimize/architectures.py``; by
default these and every int8 and float model of the shared folder. A row has the head of the arena
by TFLM's planner, the bound of any plan without overlaps, the best plan, the best one with outputs
over inputs (for the target's kernels) and with all passes (dilations allowed), the smallest arenas
that go with them, and what all passes leave of multiply-accumulates, file and estimated cycles.
``--verify`` compares as ``arenite optimize`` does. Times are this process's on the processor.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from shared import ROOT, SHARED, parser_of, write_results

sys.path.append(str(ROOT))

from rich.console import Console
from rich.table import Table
from tests.optimize.architectures import ARCHITECTURES, architecture

import arenite as ar
from arenite.analysis.head_plans import head_plans
from arenite.analysis.machine import machine
from arenite.analysis.optimization import Figures, figures
from arenite.model import Model
from arenite.target import find_target

TARGETS = ("host", "cortex-m4", "cortex-m55")
#: Those that are measured with floats as well.
FLOATS = ("MobileNetV2 0.35, 160", "NASNet cells, 32")
#: TFLM runs no hybrid models.
LEFT_OUT = ("kws_hybrid",)


def models(names: Sequence[str]) -> Iterator[tuple[str, Model]]:
    """The models that are asked for, by name."""
    files = sorted(SHARED.glob("*/*.tflite"))
    known = [str(file) for file in files if file.stem not in LEFT_OUT]
    floats = [f"{name}, float32" for name in FLOATS]
    for name in names or [*ARCHITECTURES, *floats, *known]:
        kind = "float32" if name.endswith(", float32") else "int8"
        base = name.removesuffix(", float32")
        if base in ARCHITECTURES:
            yield name, architecture(base, kind)
        else:
            yield Path(name).stem, ar.load(name)


def measure(name: str, model: Model, target: str, verify: int) -> dict[str, Any]:
    """One row."""
    meant = find_target(target)
    start = time.process_time()
    plans = head_plans(model, meant)
    planned = time.process_time()
    over, _ = ar.optimize(model, meant, only=["plan"], overlap="target", verify=0)
    overlapped = time.process_time()
    result, _ = ar.optimize(model, meant, overlap="target", dilate=True, verify=0)
    done = time.process_time()
    if verify:
        ar.optimize(model, meant, overlap="target", dilate=True, verify=verify)
    found = [figures(one, meant) for one in (model, over, result)]
    return {
        "model": name,
        "target": target,
        "bound": plans.lower_bound,
        "is_proved": plans.is_proved,
        "head": [plans.greedy, plans.optimal, *(one.head for one in found[1:])],
        "arena": [plans.arena, plans.optimal_arena, *(one.arena for one in found[1:])],
        **{what: [getattr(one, what) for one in (found[0], found[2])] for what in _WHAT},
        "verified_inputs": verify,
        "seconds": {
            "plan": planned - start,
            "overlap": overlapped - planned,
            "all": done - overlapped,
        },
    }


#: Of :class:`Figures`, before and after all passes.
_WHAT = ("macs", "flash", "cycles", "operators")
assert set(_WHAT) <= set(Figures.__dataclass_fields__)


def row(one: dict[str, Any]) -> list[str]:
    """A result's cells."""
    proof = "" if one["is_proved"] else "?"
    heads, arenas = ([f"{n:,}" for n in one[what]] for what in ("head", "arena"))
    heads[1] += proof
    before, after = ([saved[n] for saved in (one[what] for what in _WHAT[:3])] for n in (0, 1))
    pairs = zip(before, after, strict=True)
    rest = ["-" if a is None or b is None or not a else f"{(b - a) / a:+.1%}" for a, b in pairs]
    times = one["seconds"]
    seconds = [f"{times['plan'] + times['overlap']:.1f}", f"{times['all']:.1f}"]
    return [one["model"], one["target"], f"{one['bound']:,}", *heads, *arenas, *rest, *seconds]


HEADINGS = (
    *("model", "target", "bound", "head", "best", "over", "all"),
    *("arena", "best", "over", "all", "MACs", "flash", "cycles", "s plans", "s all"),
)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--target", action="append", metavar="NAME")
    parser.add_argument("--verify", type=int, default=0, metavar="N")
    parser.add_argument("--output", type=Path, metavar="FILE")
    options = parser.parse_args()
    table = Table(*HEADINGS)
    results = []
    for name, model in models(options.models):
        for target in options.target or TARGETS:
            results.append(measure(name, model, target, options.verify))
            table.add_row(*row(results[-1]))
            print(*row(results[-1]), sep=" | ", flush=True)
    Console(width=220).print(table)
    if options.output:
        write_results(options.output, {"machine": machine(), "results": results})


if __name__ == "__main__":
    main()
