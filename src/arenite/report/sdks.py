"""SDKs as a table, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from arenite.library_facts import facts_of
from arenite.report.text import Column, table, wrapped
from arenite.sdks import Left, Release


def render_sdks(rows: Sequence[Release], left: Sequence[Left], width: int) -> Iterator[Text]:
    """A row per release, then what is left out, and why."""
    columns = [
        Column("--sdk", [row.name for row in rows]),
        Column("TFLM of", [row.tflm for row in rows]),
        Column("kernels", [_library(row) for row in rows], shrink=12),
        Column("built with", [_build(row) for row in rows], shrink=8),
        Column("structs", [_structs(row) for row in rows], keep=1),
        Column("source", [row.source for row in rows], keep=2),
    ]
    yield from table(columns, width)
    yield Text()
    yield from wrapped("Any day is a release of tflm: --sdk tflm@2024-06.", width)
    for one in left:
        yield from wrapped(f"Left out: {one.name}: {one.why}.", width)


def sdk_facts(rows: Sequence[Release], left: Sequence[Left]) -> dict[str, Any]:
    """SDKs for JSON; see ``docs/cli.md`` for the keys."""
    facts = [
        {**asdict(row), "name": row.name, "operators": sorted(row.operators)}
        | {"also": sorted(row.also)}
        for row in rows
    ]
    return {"releases": facts, "left_out": [asdict(one) for one in left]}


def _library(row: Release) -> str:
    version = row.library_version or (f"of {row.cmsis_nn}" if row.cmsis_nn else "that it fetches")
    return f"{facts_of(row.library).title} {version}"


def _build(row: Release) -> str:
    compiler = {"gcc": "GCC", "armclang": "Arm Compiler 6"}[row.compiler]
    return f"{compiler} -{row.optimize}" if row.optimize else compiler


def _structs(row: Release) -> str:
    return "" if row.has_static_memory else "without TF_LITE_STATIC_MEMORY"
