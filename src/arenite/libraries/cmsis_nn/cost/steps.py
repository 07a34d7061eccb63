"""Cost of one pass of a loop, by processor, level of optimisation, function and step.

The numbers are data, measured in compiled code on random layers, a folder of ``tables`` for each
level: ``steps.csv`` has a row per kernel and loop, ``errors.csv`` a row per kernel, with how far
estimates were off. The header names the processors, two or three columns each; an empty cell is a
number that was not measured.
``tables/README.md`` says how they were counted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from arenite.cores import CORES
from arenite.target import OPTIMIZATIONS, OPTIMIZE

#: A processor and a level of optimisation.
Build = tuple[str, str]
Steps = dict[str, dict[str, tuple[float, float]]]
#: By kernel: the median and the worst error in percent, and on how many layers.
Errors = dict[str, tuple[float, float, int]]

_TABLES = Path(__file__).parent / "tables"


def _rows(level: str, name: str) -> Iterator[dict[str, str]]:
    with (_TABLES / level / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _steps() -> dict[Build, Steps]:
    found: dict[Build, Steps] = {}
    for level, row in _levels("steps.csv"):
        for processor in _processors(row):
            counts = row[f"{processor} instructions"], row[f"{processor} cycles"]
            steps = found.setdefault((processor, level), {})
            if all(counts):
                loops = steps.setdefault(row["kernel"], {})
                loops[row["loop"]] = _number(counts[0]), _number(counts[1])
    return found


def _levels(name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows of all levels, the usual one first."""
    for level in (OPTIMIZE, *(one for one in OPTIMIZATIONS if one != OPTIMIZE)):
        if (_TABLES / level / name).is_file():
            yield from ((level, row) for row in _rows(level, name))


def _errors() -> dict[Build, Errors]:
    found: dict[Build, Errors] = {build: {} for build in STEPS}
    for level, row in _levels("errors.csv"):
        for (processor, of), errors in found.items():
            if of != level:
                continue
            core = next(iter(CORES[processor].costs), processor)
            median, worst, layers = (row[f"{core} {n}"] for n in ("median", "worst", "layers"))
            if layers:
                errors[row["kernel"]] = _number(median), _number(worst), int(layers)
    return found


def _processors(row: dict[str, str]) -> list[str]:
    end = " instructions"
    return [column.removesuffix(end) for column in row if column.endswith(end)]


def _scaled(steps: Steps, share: float) -> Steps:
    """The same instructions in a share of the cycles."""
    return {
        kernel: {loop: (count, cycles * share) for loop, (count, cycles) in loops.items()}
        for kernel, loops in steps.items()
    }


def _with_others(measured: dict[Build, Steps]) -> dict[Build, Steps]:
    """Costs that were measured, and of cores whose costs are a share of another's."""
    others = {
        (core.name, level): _scaled(steps, core.costs[1])
        for core in CORES.values()
        for (name, level), steps in measured.items()
        if core.costs and core.costs[0] == name
    }
    return measured | others


STEPS: dict[Build, Steps] = _with_others(_steps())
ERRORS: dict[Build, Errors] = _errors()
