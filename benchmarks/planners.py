"""Time to a plan below a height: the optimal planner next to minimalloc and CP-SAT, in turns.

``python benchmarks/planners.py FOLDER [--minimalloc BINARY] [--cp-sat] [--optimum] ...``

FOLDER holds problems as minimalloc has them: ``NAME.CAPACITY.csv`` with the columns ``lower,
upper, size``. Each is solved for its capacity, or, with ``--optimum``, until the plan is proved to
be the lowest (which minimalloc does not do). Times are those of one thread, in CPU seconds of a
process of its own, without reading the file; reported is the median of all turns. A plan of ours
is validated. CP-SAT is that of OR-tools, if it is installed.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import multiprocessing
import re
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from arenite.memory.conflicts import rivals_of
from arenite.memory.lower_bound import lower_bound
from arenite.memory.optimal import optimal
from arenite.memory.problem import Buffer, Problem
from arenite.memory.validate import validate


class Result(NamedTuple):
    """CPU seconds, and the height that was reached; None where there was no plan in time."""

    seconds: float
    height: int | None
    is_proved: bool


Engine = Callable[[Path, int, float], Result]


def read(path: Path) -> Problem:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return Problem(
        tuple(Buffer(int(row["size"]), int(row["lower"]), int(row["upper"])) for row in rows)
    )


def arenite(path: Path, capacity: int, limit: float) -> Result:
    problem = read(path)
    start = time.process_time()
    found = optimal(problem, seconds=limit, enough=capacity)
    seconds = time.process_time() - start
    validate(problem, found.solution)
    height = found.solution.size
    return Result(seconds, height if height <= capacity or not capacity else None, found.is_proved)


def minimalloc(binary: str, path: Path, capacity: int, limit: float) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [
                binary,
                f"--capacity={capacity}",
                f"--input={path}",
                f"--output={folder}/plan.csv",
                f"--timeout={limit}s",
            ],
            capture_output=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Result(after.ru_utime - before.ru_utime, None if done.returncode else capacity, False)


def cp_sat(path: Path, capacity: int, limit: float) -> Result:
    from ortools.sat.python import cp_model  # noqa: PLC0415 - it may be missing

    problem = read(path)
    model = cp_model.CpModel()
    most = capacity or sum(b.size for b in problem.buffers)
    offsets = [model.NewIntVar(0, most - b.size, "") for b in problem.buffers]
    times = [model.NewFixedSizeIntervalVar(b.begin, b.end - b.begin, "") for b in problem.buffers]
    places = [
        model.NewFixedSizeIntervalVar(offset, b.size, "")
        for offset, b in zip(offsets, problem.buffers, strict=True)
    ]
    model.AddNoOverlap2D(times, places)
    height = model.NewIntVar(lower_bound(problem), most, "")
    for offset, b in zip(offsets, problem.buffers, strict=True):
        model.Add(offset + b.size <= height)
    if not capacity:
        model.Minimize(height)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    start = time.process_time()
    status = solver.Solve(model)
    seconds = time.process_time() - start
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Result(seconds, None, False)
    return Result(seconds, int(solver.Value(height)), status == cp_model.OPTIMAL)


def apart(engine: Engine, path: Path, capacity: int, limit: float) -> Result:
    """In a process of its own: nothing is remembered."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(engine, (path, capacity, limit))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="problems as NAME.CAPACITY.csv")
    parser.add_argument("--minimalloc", metavar="BINARY", help="its command line program")
    parser.add_argument("--cp-sat", action="store_true", help="OR-tools' solver, if installed")
    parser.add_argument("--optimum", action="store_true", help="the lowest plan, with a proof")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per problem")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--output", type=Path, metavar="FILE", help="results as .json")
    return parser.parse_args()


def engines_of(options: argparse.Namespace) -> dict[str, Engine]:
    engines: dict[str, Engine] = {"arenite": partial(apart, arenite)}
    if options.minimalloc and not options.optimum:
        engines["minimalloc"] = partial(minimalloc, options.minimalloc)
    if options.cp_sat and importlib.util.find_spec("ortools"):
        engines["CP-SAT"] = partial(apart, cp_sat)
    return engines


def measure(path: Path, engines: dict[str, Engine], options: argparse.Namespace) -> dict[str, Any]:
    problem = read(path)
    bound = lower_bound(problem)
    stated = re.search(r"\.(\d+)\.csv$", path.name)
    capacity = 0 if options.optimum else int(stated[1]) if stated else bound
    results: dict[str, list[Result]] = {name: [] for name in engines}
    for _ in range(options.turns):
        for name, engine in engines.items():
            results[name].append(engine(path, capacity, options.limit))
    return {
        "problem": path.name.partition(".")[0],
        "buffers": len(problem.buffers),
        "pairs": len(rivals_of(problem, 10**9).pairs),
        "capacity": capacity,
        "bound": bound,
        **{
            name: {
                "seconds": statistics.median(turn.seconds for turn in turns),
                "height": turns[-1].height,
                "is_proved": turns[-1].is_proved,
            }
            for name, turns in results.items()
        },
    }


def cell(result: dict[str, Any], *, with_height: bool) -> str:
    if result["height"] is None:
        return f"none in {result['seconds']:.0f}"
    proof = "" if result["is_proved"] else "?"
    return f"{result['seconds']:.2f}" + (f" ({result['height']}{proof})" if with_height else "")


def main() -> None:
    options = arguments()
    engines = engines_of(options)
    rows = [measure(path, engines, options) for path in sorted(options.folder.glob("*.csv"))]
    table = Table(title="CPU seconds on one thread")
    for name in ("problem", "buffers", "pairs", "bound", *engines):
        table.add_column(name, justify="left" if name == "problem" else "right")
    for row in rows:
        facts = [str(row[key]) for key in ("problem", "buffers", "pairs", "bound")]
        cells = [cell(row[name], with_height=options.optimum) for name in engines]
        table.add_row(*facts, *cells)
    Console().print(table)
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
