"""Vela's estimate of an NPU's cycles, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.vela_report import VelaReport, shares
from arenite.report.text import Column, name_text, number, table, wrapped


def render_report(report: VelaReport, width: int) -> Iterator[Text]:
    """A row per operator of the original, and the total."""
    layers = report.layers
    yield Text()
    yield Text("NPU, Vela's estimate", style="bold")
    columns = [
        Column("operator", [*(one.operator for one in layers), "total"], shrink=10),
        Column("tensor", [*(name_text(one.name) for one in layers), ""], shrink=12, keep=2),
        Column("on", [*(one.target for one in layers), ""]),
        Column("MACs", [*(number(round(one.macs)) for one in layers), ""], "right", keep=1),
        Column(
            "cycles",
            [*(number(round(one.cycles)) for one in layers), number(round(report.cycles))],
            "right",
        ),
        Column("share", [*(f"{share:.0%}" for share in shares(report)), ""], "right"),
    ]
    lines = table(columns, width)
    lines[-1].stylize("bold")
    yield from lines
    yield from wrapped(source_text(report), width)


def source_text(report: VelaReport) -> str:
    """A sentence on the source of the numbers."""
    if not report.system:
        return "Cycles are Vela's, not measured; Vela means them for comparing its options."
    return (
        "Vela's public estimate, worked out from the commands as if memories were those of its "
        f"{report.system}; not measured. Vela means it for comparing its options. docs/ethos-u.md "
        "says how near it is to Vela's own table."
    )
