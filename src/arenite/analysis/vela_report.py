"""Vela's own estimate of an NPU's cycles, out of the table that it writes beside a model.

``vela --verbose-performance`` writes ``MODEL_per-layer.csv``, a row per command of its own: the
operator of the original, where it runs, cycles, multiply-adds. The numbers are Vela's. Its
``PERFORMANCE.md`` says that they are for comparing its options, not for what a chip takes. Without
that table, its estimate is worked out from the commands (:mod:`arenite.npu.cycles`).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arenite.analysis.ethos_u import npu_operators
from arenite.errors import ModelError
from arenite.files import read_file
from arenite.model import Model
from arenite.model.text import printable
from arenite.npu.cycles import Cycles, estimate, system_of
from arenite.npu.operations import Program
from arenite.npu.stream import StreamError
from arenite.npu.u85 import cycles as u85
from arenite.npu.u85.rates import SYSTEM as SYSTEM_U85
from arenite.npu.words import kind_of, map_text

#: Larger files are no such table.
_MOST_BYTES = 1 << 24
_COLUMNS = ("Original Operator", "Target", "Op Cycles", "MAC Count", "Name")


@dataclass(frozen=True)
class VelaLayer:
    """An operator of the original as Vela counts it, all of its commands together.

    Attributes:
        operator: Its kind, in Vela's spelling.
        name: Its output's name.
        target: ``"NPU"`` or ``"CPU"``.
        cycles: Vela's estimate; 0 on the CPU.
        macs: Multiply-adds.
    """

    operator: str
    name: str
    target: str
    cycles: float
    macs: float


@dataclass(frozen=True)
class VelaReport:
    """Vela's table, or what it would say about.

    Attributes:
        file: The table's; empty where there is none.
        layers: Operators of the original; or commands, and operators on the CPU.
        system: The memories that commands are taken to have; empty for Vela's own table.
    """

    file: str
    layers: tuple[VelaLayer, ...]
    system: str = ""

    @property
    def cycles(self) -> float:
        """The sum, which is ``cycles_total`` of Vela's summary."""
        return sum(one.cycles for one in self.layers)


def read_report(path: Path) -> VelaReport:
    """Read ``MODEL_per-layer.csv``.

    Raises:
        OSError: It cannot be read.
        ModelError: It is no such table; says where.
    """
    try:
        text = read_file(path, _MOST_BYTES).decode("utf-8")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (ValueError, csv.Error) as error:
        raise ModelError(f"{path}: expected Vela's per-layer.csv: {error}") from None
    if not rows or not set(_COLUMNS) <= rows[0].keys():
        raise ModelError(
            f"{path}: expected Vela's per-layer.csv, with the columns {', '.join(_COLUMNS)}; "
            "vela --verbose-performance writes it"
        )
    found: list[VelaLayer] = []
    for number, row in enumerate(rows, 2):
        one = _layer(row, f"{path}, line {number}")
        if found and (found[-1].name, found[-1].target) == (one.name, one.target):
            last = found.pop()
            cycles, macs = last.cycles + one.cycles, last.macs + one.macs
            one = VelaLayer(last.operator, one.name, one.target, cycles, macs)
        found.append(one)
    return VelaReport(str(path), tuple(found))


def _layer(row: dict[str, Any], place: str) -> VelaLayer:
    text = {name: row[name] for name in _COLUMNS}
    if any(value is None for value in text.values()):
        raise ModelError(f"{place}: expected {len(_COLUMNS)} columns with values, got fewer")
    cycles, macs = (_number(text[name], f"{place}, {name}") for name in ("Op Cycles", "MAC Count"))
    operator, name, target = (printable(text[n]) for n in ("Original Operator", "Name", "Target"))
    return VelaLayer(operator, name, target, cycles, macs)


def _number(text: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise ModelError(f"{place}: expected a number from 0, got {text[:40]!r}")
    return value


def estimated(model: Model) -> VelaReport | None:
    """Vela's public estimate for the commands of a model; None where there are none to run.

    Operators on the CPU are rows without cycles.
    """
    compiled = {one.operator: one for one in npu_operators(model) if one.subgraph == 0}
    layers: list[VelaLayer] = []
    systems = set()
    for number, operator in enumerate(model.main.operators):
        if number not in compiled:
            names = (model.main.tensors[i].name for i in operator.outputs if i >= 0)
            name = printable(next(names, ""))
            layers.append(VelaLayer(printable(operator.name), name, "CPU", 0, 0))
            continue
        try:
            program = compiled[number].program
        except StreamError:
            continue
        is_u85 = program.accelerator.is_u85
        systems.add(SYSTEM_U85 if is_u85 else system_of(program.accelerator).name)
        count = u85.estimate if is_u85 else estimate
        layers += (_command(program, one) for one in count(program))
    return VelaReport("", tuple(layers), ", ".join(sorted(systems))) if systems else None


def _command(program: Program, cycles: Cycles) -> VelaLayer:
    operation = program.operations[cycles.number]
    target = operation.writes
    assert target is not None
    name = f"{cycles.number}: {map_text(target)}"
    return VelaLayer(kind_of(operation), name, "NPU", cycles.total, cycles.macs)


def report_facts(report: VelaReport) -> dict[str, Any]:
    """A report as JSON; ``source`` says whose numbers these are."""
    return {
        "source": "Vela's estimate" + (", worked out from the commands" if report.system else ""),
        "file": report.file,
        "system": report.system or None,
        "cycles": report.cycles,
        "layers": [vars(one) for one in report.layers],
    }


def shares(report: VelaReport) -> Iterator[float]:
    """Each layer's share of all cycles."""
    total = report.cycles or 1
    return (one.cycles / total for one in report.layers)
