"""A model in two memories, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.splits import Split
from arenite.model.text import printable
from arenite.report.text import Column, name_text, number, table, wrapped


def render_split(found: Split, width: int) -> Iterator[Text]:
    """The ways, which one to take, and the tensors that would lie in the slow memory."""
    fast, slow = (printable(ram.name) for ram in (found.fast, found.slow))
    sizes = f"{fast} {number(found.fast.size)}, {slow} {number(found.slow.size)} bytes"
    yield Text.assemble(("Two memories  ", "bold"), sizes)
    columns = [
        Column("", [printable(way.name) for way in found.ways], shrink=20),
        Column(fast, [number(way.fast) for way in found.ways], "right"),
        Column(slow, [number(way.slow) for way in found.ways], "right"),
        Column(f"to and from {slow}", [number(way.traffic) for way in found.ways], "right"),
        Column("", ["" if way.fits else "does not fit" for way in found.ways], keep=1),
    ]
    yield from table(columns, width)
    best = found.best
    if best is None:
        yield from wrapped("TFLM as it is fits into neither memory, nor into both", width)
    else:
        yield from wrapped(
            f"TFLM as it is: {printable(best.name)}{_how(best.fast, best.slow)}", width
        )
    there = [piece for piece in found.pieces if piece.ram == found.slow.name]
    yield from wrapped(_placed(len(there), len(found.pieces), slow), width)
    if there:
        yield from table(
            [
                Column("", [name_text(piece.name) for piece in there], shrink=12),
                Column("size", [number(piece.size) for piece in there], "right"),
                Column("traffic", [number(piece.traffic) for piece in there], "right"),
            ],
            width,
        )


def _how(fast: int, slow: int) -> str:
    """Call that places a model so."""
    if fast and slow:
        return ", MicroAllocator::Create with two arenas"
    return ""


def _placed(there: int, count: int, slow: str) -> str:
    if not there:
        return "every tensor by itself: all in the fast memory"
    return (
        f"every tensor by itself, which takes a planner of the firmware's own: {there} of {count} "
        f"buffers of the head in {slow}"
    )
