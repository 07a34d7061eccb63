"""Needs of streaming models side by side, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.wake_words import WakeWord, WakeWords
from arenite.model.text import printable
from arenite.report.text import Column, number, table, wrapped


def render_wake_words(found: WakeWords, width: int) -> Iterator[Text]:
    """A table of arenas by release for every model, the manifest's line, then RAM."""
    board = f"{found.board.name} ({found.board.chip}); " if found.board else ""
    yield from wrapped(f"{board}{found.runtime.title}; {found.words[0].target}", width)
    for one in found.words:
        yield Text()
        yield from render_word(one, width)
    if found.board is not None:
        yield Text()
        yield from _ram(found, width)
    yield Text()
    if found:
        yield Text("It fits.", style="bold green")
    else:
        yield Text("It does not fit.", style="bold red")


def render_word(one: WakeWord, width: int) -> Iterator[Text]:
    """A model's arena by release, the manifest's line, and whether a manifest asks for enough."""
    yield Text(printable(one.file), style="bold")
    versions = list(one.smallest)
    marks = ["<" if version == one.target.library_version else "" for version in versions]
    columns = [
        Column("release", [version or "-" for version in versions]),
        Column("smallest arena", [number(size) for size in one.smallest.values()], "right"),
        Column("", marks),
    ]
    yield from table(columns, width)
    yield Text(f'"tensor_arena_size": {one.asked}')
    for fault in one.faults:
        yield from wrapped(f"{fault}.", width, style="yellow")
    if one.manifest is None:
        return
    says = f"{printable(one.manifest.file)} says {number(one.manifest.arena)}"
    verdict = "enough" if one.fits else f"too little, by {number(one.asked - one.manifest.arena)}"
    since = f"; too little since release {one.wrong_since}" if one.wrong_since else ""
    style = "green" if one.fits else "bold red"
    yield from wrapped(f"{says}: {verdict}{since}.", width, style=style)


def _ram(found: WakeWords, width: int) -> Iterator[Text]:
    board = found.board
    assert board is not None
    extra = f"{number(found.runtime.variables_arena)} for variables each"
    yield from wrapped(f"RAM: {number(found.ram)} bytes of all arenas, {extra}.", width)
    kinds = [
        ("internal RAM", board.ram, found.in_internal),
        ("PSRAM", board.external, found.in_psram),
    ]
    for name, size, holds in kinds:
        left = f"fits, {number(size - found.ram)} left for all else"
        if not holds:
            left = "exceeds" if found.ram > size else "exceeds: an arena lies in one piece of it"
        verdict = f"{number(size)}, {left}" if size else "none"
        yield from wrapped(f"{name}: {verdict}", width)
    yield from wrapped(
        "What the system, its radio and stacks take of internal RAM is not in it: of one build "
        "with Wi-Fi 190,529 bytes were left of 341,760.",
        width,
        style="dim",
    )
