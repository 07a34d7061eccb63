"""Cost of one pass of a loop, by processor, function and step: instructions and cycles.

The numbers are data, measured in compiled code on random layers: ``tables/steps.csv`` has a row per
kernel and loop, ``tables/errors.csv`` a row per kernel, with how far estimates were off. The header
names the processors, two or three columns each; an empty cell is a number that was not measured.
``tables/README.md`` says how they were counted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

Steps = dict[str, dict[str, tuple[float, float]]]
#: By kernel: the median and the worst error in percent, and on how many layers.
Errors = dict[str, tuple[float, float, int]]

_TABLES = Path(__file__).parent / "tables"


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (_TABLES / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _steps() -> dict[str, Steps]:
    found: dict[str, Steps] = {}
    for row in _rows("steps.csv"):
        for processor in _processors(row):
            counts = row[f"{processor} instructions"], row[f"{processor} cycles"]
            steps = found.setdefault(processor, {})
            if all(counts):
                loops = steps.setdefault(row["kernel"], {})
                loops[row["loop"]] = _number(counts[0]), _number(counts[1])
    return found


def _errors() -> dict[str, Errors]:
    found: dict[str, Errors] = {processor: {} for processor in STEPS}
    for row in _rows("errors.csv"):
        for processor, errors in found.items():
            median, worst, layers = (row[f"{processor} {n}"] for n in ("median", "worst", "layers"))
            if layers:
                errors[row["kernel"]] = _number(median), _number(worst), int(layers)
    return found


def _processors(row: dict[str, str]) -> list[str]:
    end = " instructions"
    return [column.removesuffix(end) for column in row if column.endswith(end)]


STEPS: dict[str, Steps] = _steps()
ERRORS: dict[str, Errors] = _errors()
