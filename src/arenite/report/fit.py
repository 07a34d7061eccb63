"""Whether a model fits, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.boards import BoardFacts
from arenite.analysis.fit import Fit, amount
from arenite.model.text import printable
from arenite.report.text import Column, number, table, wrapped

_STYLES = {"fits": "green", "exceeds": "bold red", "unknown": "yellow", "no limit": ""}


def render_fit(fit: Fit, width: int) -> Iterator[Text]:
    """A row per need, what it is made of, the verdict."""
    yield Text(printable(fit.file), style="bold")
    board = f"{fit.board.name} ({fit.board.chip}); " if fit.board else ""
    clock = f"; {fit.clock:g} MHz" if fit.clock else ""
    yield from wrapped(f"{board}{fit.target}{clock}", width)
    yield Text()
    yield from _needs(fit, width)
    yield Text()
    for need in fit.needs:
        parts = ", ".join(f"{name} {amount(size, need.unit)}" for name, size in need.parts.items())
        words = "; ".join(text for text in (parts, need.note.rstrip(".")) if text)
        yield from wrapped(f"{need.name}: {words}.", width)
    if fit.board:
        yield from wrapped(f"{fit.board.memory}: {fit.board.source}.", width)
    yield Text()
    yield from _verdict(fit, width)


def _needs(fit: Fit, width: int) -> list[Text]:
    def cell(value: float | None, unit: str) -> str:
        return "-" if value is None else amount(value, unit)

    columns = [
        Column("", [need.name for need in fit.needs]),
        Column(
            "needs",
            [cell(one.total if one.parts else None, one.unit) for one in fit.needs],
            "right",
        ),
        Column("limit", [cell(one.limit, one.unit) for one in fit.needs], "right"),
        Column("left", [cell(one.left, one.unit) for one in fit.needs], "right"),
        Column("", [need.verdict for need in fit.needs]),
    ]
    lines = table(columns, width)
    for line, need in zip(lines[1:], fit.needs, strict=True):
        line.stylize(_STYLES[need.verdict], len(line.plain) - len(need.verdict))
    return lines


def _verdict(fit: Fit, width: int) -> Iterator[Text]:
    if fit.fits:
        yield Text("It fits.", style="bold green")
        return
    if not any(need.verdict == "exceeds" for need in fit.needs):
        unknown = " and ".join(need.name for need in fit.needs if need.verdict == "unknown")
        yield Text(f"Whether it fits is not known: {unknown}.", style="bold yellow")
        return
    yield Text("It does not fit.", style="bold red")
    yield from wrapped(
        "The same outputs from less: arenite optimize MODEL, arenite export MODEL.", width
    )


def render_boards(boards: Sequence[BoardFacts], width: int) -> list[Text]:
    """A row per board."""
    columns = [
        Column("board", [board.name for board in boards]),
        Column("chip", [board.chip for board in boards], shrink=11),
        Column("processor", [board.processor for board in boards]),
        Column("MHz", [f"{board.clock:g}" for board in boards], "right"),
        Column("RAM", [number(board.ram) for board in boards], "right"),
        Column("flash", [number(board.flash) for board in boards], "right"),
        Column("memory", [board.memory for board in boards], keep=1),
        Column("source", [board.source for board in boards], keep=2),
    ]
    return table(columns, width)
