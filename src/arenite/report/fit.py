"""Whether a model fits, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.fit import Fit
from arenite.analysis.needs import Need, amount
from arenite.boards import Board
from arenite.errors import RefusedError
from arenite.firmware.size import FirmwareSize
from arenite.model.text import printable
from arenite.report.firmware_size import size_words
from arenite.report.text import Column, number, table, wrapped

_STYLES = {
    "fits": "green",
    "exceeds": "bold red",
    "does not fit": "bold red",
    "unknown": "yellow",
    "not known": "yellow",
    "marginal": "yellow",
    "no limit": "",
}


def render_fit(fit: Fit, width: int, exported: FirmwareSize | None = None) -> Iterator[Text]:
    """A row per need, what it is made of, what an export takes if that is known, the verdict."""
    yield Text(printable(fit.file), style="bold")
    board = f"{printable(fit.board.name)} ({printable(fit.board.chip)}); " if fit.board else ""
    clock = f"; {fit.clock:g} MHz" if fit.clock else ""
    yield from wrapped(f"{board}{fit.target}{clock}", width)
    yield Text()
    yield from _needs(fit, width)
    yield Text()
    for line in (*details(fit), *([size_words(exported, fit)] if exported else [])):
        yield from wrapped(line, width)
    yield Text()
    yield from verdict(fit, width, " with TFLM" if exported and not exported.reason else "")


def details(fit: Fit) -> Iterator[str]:
    """Parts of needs, energy, what is known of the board: a paragraph each."""
    for need in fit.needs:
        parts = ", ".join(f"{name} {amount(size, need.unit)}" for name, size in need.parts.items())
        words = "; ".join(text for text in (parts, need.note.rstrip(".")) if text)
        yield f"{need.name}: {words}."
    if fit.energy:
        low, high, source = fit.energy
        yield f"energy: {low:,.0f} to {high:,.0f} uJ an inference ({source})."
    if fit.board:
        yield from _board(fit.board)


def _board(board: Board) -> Iterator[str]:
    flash = f"; flash: {board.reading}" if board.reading else ""
    source = f" ({printable(board.source)})" if board.source else ""
    yield f"The board's RAM: {board.memory}{flash}{source}."
    if board.note:
        yield f"{printable(board.note)}."


def _needs(fit: Fit, width: int) -> list[Text]:
    columns = [
        Column("", [need.name for need in fit.needs]),
        Column("needs", [need.amount for need in fit.needs], "right"),
        Column("limit", [amount_or(one.limit, one.unit) for one in fit.needs], "right"),
        Column("left", [amount_or(one.left, one.unit) for one in fit.needs], "right"),
        Column("", [need.verdict for need in fit.needs]),
    ]
    lines = table(columns, width)
    for line, need in zip(lines[1:], fit.needs, strict=True):
        line.stylize(_STYLES[need.verdict], len(line.plain) - len(need.verdict))
    return lines


def amount_or(value: float | None, unit: str, none: str = "-") -> str:
    """A limit or what is left of it, where there is one."""
    return none if value is None else amount(value, unit)


def verdict(fit: Fit, width: int, of: str = "") -> Iterator[Text]:
    """Whether it fits, and what helps if it does not; ``of`` is what is meant of several."""
    place = fit.need("RAM").where
    into = f": the arena into {place}" if place else ""
    style = _STYLES[fit.outcome]
    if fit.outcome == "fits":
        yield from wrapped(f"It fits{of}{into}.", width, style=style)
        return
    if fit.outcome == "does not fit":
        over = " and ".join(one.name for one in fit.needs if one.verdict == "exceeds")
        yield from wrapped(f"It does not fit{of}: {over}.", width, style=style)
        yield from wrapped(
            "The same outputs from less: arenite optimize MODEL, arenite export MODEL.", width
        )
        return
    kind = "unknown" if fit.outcome == "not known" else "marginal"
    names = " and ".join(one.name for one in fit.needs if one.verdict == kind)
    if fit.outcome == "not known":
        yield from wrapped(f"Whether it fits is not known: {names}.", width, style=style)
        return
    yield from wrapped(
        f"Marginal: the limit lies within what the {names} may be off. Measure on the board, "
        "or say --margin.",
        width,
        style=style,
    )


def render_refused(file: str, error: RefusedError, width: int) -> Iterator[Text]:
    """The verdict on a model that TFLM refuses: why, and what to type."""
    yield Text(printable(file), style="bold")
    yield Text()
    words = "It runs, and computes nonsense." if error.computes_nonsense else "It does not run."
    yield from wrapped(words, width, style=_STYLES["does not fit"])
    yield from wrapped(error.verdict, width)
    if error.remedy:
        yield from wrapped(error.remedy, width)


def render_fits(found: Sequence[Fit], file: str, width: int) -> Iterator[Text]:
    """A row per board: what the model needs there, as ``--board`` says it, and the verdict."""
    yield Text(printable(file), style="bold")
    yield from wrapped(
        "No board or target was given: what it needs on each board of the list, with TFLM "
        "(CMSIS-NN's kernels on a Cortex-M). --board NAME says more of one.",
        width,
    )
    yield Text()
    rams = [one.need("RAM") for one in found]
    columns = [
        Column("board", [one.board.name if one.board else "" for one in found]),
        Column("processor", [one.target.processor for one in found], keep=3),
        Column("MHz", [f"{one.clock:g}" if one.clock else "-" for one in found], "right", keep=2),
        Column("RAM", [ram.amount.removesuffix(" bytes") for ram in rams], "right"),
        Column("of", [number(int(ram.limit or 0)) for ram in rams], "right"),
        Column("flash", [_bytes(one.need("flash")) for one in found], "right", keep=1),
        Column("time", [one.need("time").amount for one in found], "right"),
        Column("", [_short(one) for one in found]),
    ]
    lines = table(columns, width)
    for line, one in zip(lines[1:], found, strict=True):
        line.stylize(_STYLES[one.outcome], len(line.plain) - len(_short(one)))
    yield from lines


def _bytes(need: Need) -> str:
    return need.amount.removesuffix(" bytes") if need.parts else "-"


def _short(fit: Fit) -> str:
    if fit.outcome == "fits":
        return "fits"
    kinds = {"does not fit": "exceeds", "not known": "unknown", "marginal": "marginal"}
    names = ", ".join(one.name for one in fit.needs if one.verdict == kinds[fit.outcome])
    return f"exceeds {names}" if fit.outcome == "does not fit" else f"{fit.outcome}: {names}"


def render_boards(boards: Sequence[Board], width: int) -> list[Text]:
    """A row per board."""
    columns = [
        Column("board", [board.name for board in boards]),
        Column("chip", [board.chip for board in boards], shrink=11),
        Column("processor", [board.processor for board in boards]),
        Column("MHz", [f"{board.clock:g}" for board in boards], "right"),
        Column("RAM", [number(board.ram) for board in boards], "right"),
        Column("flash", [number(board.flash) if board.flash else "-" for board in boards], "right"),
        Column("NPU", [" ".join(board.npus) for board in boards], keep=3),
        Column("memory", [board.memory for board in boards], keep=1),
        Column("source", [board.source for board in boards], keep=2),
    ]
    return table(columns, width)
