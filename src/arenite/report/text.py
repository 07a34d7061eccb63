"""Facts in a terminal: numbers, names and tables that fit the width.

Names come from files and may hold anything; they are printed as plain text with control
characters escaped, never as markup. Cells of tables and sentences are escaped here, so that they
have the width that they take; :func:`shown` is what every line goes through on its way to a
terminal, whatever made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from arenite.model.text import COMMAND, escaped, printable

GAP = 2


@dataclass(frozen=True)
class Column:
    """One column of a table: its heading, its cells, and how it yields to narrow terminals.

    Columns with ``shrink`` lose the middle of their text down to that many cells. When that
    is not enough, the columns with the highest ``keep`` go; 0 stays always.
    """

    heading: str
    cells: Sequence[str]
    justify: Literal["left", "right"] = "left"
    keep: int = 0
    shrink: int = 0
    style: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", [printable(cell) for cell in self.cells])

    @property
    def width(self) -> int:
        """Cells that the column takes in full."""
        return max(cell_len(text) for text in (self.heading, *self.cells))

    @property
    def least_width(self) -> int:
        """Cells that the column takes when it has shrunk."""
        return min(self.width, self.shrink or self.width)


def fit(columns: Sequence[Column], width: int) -> list[Column]:
    """Those of the columns that fit into ``width`` cells side by side, shrunk if need be.

    Columns that say nothing in any row go first.
    """
    kept = [column for column in columns if any(column.cells) or not column.cells]
    while _total(c.least_width for c in kept) > width and any(c.keep for c in kept):
        kept.remove(max(kept, key=lambda c: c.keep))
    return kept


def table(columns: Sequence[Column], width: int) -> list[Text]:
    """A heading and one line per row of what fits of ``columns``; no lines, no frames."""
    kept = fit(columns, width)
    excess = max(_total(c.width for c in kept) - width, 0)
    widths: list[int] = []
    for column in reversed(kept):
        lost = min(excess, column.width - column.least_width)
        excess -= lost
        widths.insert(0, column.width - lost)
    heading = [Text(column.heading, style="bold") for column in kept]
    rows = zip(*([Text(cell, style=c.style) for cell in c.cells] for c in kept), strict=True)
    return [_line(row, kept, widths) for row in (heading, *rows)]


def _total(widths: Iterable[int]) -> int:
    return sum(width + GAP for width in widths) - GAP


def _line(cells: Sequence[Text], columns: Sequence[Column], widths: Sequence[int]) -> Text:
    line = Text()
    for cell, column, width in zip(cells, columns, widths, strict=True):
        text = shortened(cell, width)
        padding = " " * (width - text.cell_len)
        line += Text.assemble(*((padding, text) if column.justify == "right" else (text, padding)))
        line.append(" " * GAP)
    line.rstrip()
    return line


def shortened(text: Text, width: int) -> Text:
    """``text`` without its middle, if that is what it takes to fit; names differ at the end."""
    if text.cell_len <= width:
        return text
    if text.cell_len != len(text):  # characters that are two cells wide
        text.truncate(width, overflow="ellipsis")
        return text
    tail = (width - 1) * 2 // 3
    return text[: width - 1 - tail] + Text("…") + text[len(text) - tail :]


def shown(text: Text) -> Text:
    r"""A line with all that a terminal would act on escaped, its styles kept.

    >>> shown(Text("a\x1b[31mb")).plain
    'a\\x1b[31mb'
    """
    hidden = [n for n, char in enumerate(text.plain) if not char.isprintable() and char != "\n"]
    if not hidden:
        return text
    parts = text.divide(sorted({place for n in hidden for place in (n, n + 1)}))
    for part in parts:
        if part.plain != "\n":
            part.plain = "\n".join(map(printable, part.plain.split("\n")))
    return Text().join(parts)


def inert_text(line: Text) -> Text:
    r"""A line that no CI system takes for a command, its styles kept.

    >>> inert_text(Text("::error::approved")).plain
    '\\x3a:error::approved'
    """
    places = [found.end() - 1 for found in COMMAND.finditer(line.plain)]
    if not places:
        return line
    parts = line.divide(sorted({place for n in places for place in (n, n + 1)}))
    start = 0
    for part in parts:
        end = start + len(part.plain)
        if part.plain and start in places:
            part.plain = escaped(part.plain)
        start = end
    return Text().join(parts)


def inert_lines(line: Text, width: int, *, whole_words: bool = False) -> list[Text]:
    """A line fitted into the width, and none of what it became a command of a CI system."""
    lines = fitted(line, width, whole_words=whole_words)
    if not any(COMMAND.search(one.plain) for one in lines):
        return lines
    room = width - len(escaped(":")) + 1  # of two in a line the second may be beyond the edge
    return [*map(inert_text, fitted(line, max(room, 1), whole_words=whole_words))]


def plain_c(layers: Iterable[tuple[int, str]], width: int) -> list[Text]:
    """The reasons for plain C, by the numbers of layers; nothing of those without one."""
    by_reason: dict[str, list[str]] = {}
    for index, reason in layers:
        by_reason.setdefault(reason, []).append(str(index))
    lines = (f"C      {', '.join(at)}: {why}" for why, at in by_reason.items() if why)
    return [part for line in lines for part in wrapped(line, width, indent=7)]


def wrapped(text: str, width: int, *, indent: int = 0, style: str = "") -> list[Text]:
    """A sentence as lines of at most ``width`` cells, all but the first indented."""
    lines = wrap(
        printable(text), max(width, 20), subsequent_indent=" " * indent, break_on_hyphens=False
    )
    return [Text(line, style=style) for line in lines]


def fitted(line: Text, width: int, *, whole_words: bool = False) -> list[Text]:
    """A line as one or more of at most ``width`` cells: what goes on begins below what was cut.

    Lines break at spaces. A word that is wider, as paths and names are, is broken like a terminal
    would, or stays whole.

    >>> [part.plain for part in fitted(Text("in   int8[1,4]  image"), 16)]
    ['in   int8[1,4]', '     image']
    """
    if line.cell_len <= width:
        return [line]
    if "\n" in line.plain:
        parts = line.split("\n", allow_blank=True)
        return [one for part in parts for one in fitted(part, width, whole_words=whole_words)]
    label = re.match(r" *\S+(?: \S+)*  +", line.plain)
    left = len(line.plain) - len(line.plain.lstrip(" "))
    start = next(at for at in (label.end() if label else left + 2, 2, 0) if at <= width // 2)
    lines: list[Text] = []
    rest, indent = line, 0
    while rest.cell_len > width - indent:
        room = len(set_cell_size(rest.plain, width - indent).rstrip()) if rest.plain else 0
        cut = _place_to_break(rest.plain, max(room, 1), start if not lines else 0, whole_words)
        if cut == len(rest):
            break
        lines.append(Text(" " * indent) + rest[:cut])
        lines[-1].rstrip()
        rest = rest[cut + len(rest.plain[cut:]) - len(rest.plain[cut:].lstrip(" ")) :]
        indent = start
    return [*lines, Text(" " * indent) + rest] if rest.plain else lines


def _place_to_break(text: str, room: int, label: int, whole_words: bool) -> int:
    """Behind the last word that has room, or as much of a word; not within the first ``label``."""
    space = text.rfind(" ", label, room + 1)
    if space >= max(label, 1) and text[:space].strip():
        return space
    if not whole_words:
        return room
    following = text.find(" ", max(room, label))
    return len(text) if following < 0 else following


def name_text(name: str) -> str:
    """A name, or that there is none."""
    return printable(name) or "(no name)"


def number(value: int) -> str:
    """Digits in groups of three: ``1,234,567``."""
    return f"{value:,}"


def counted(count: int, noun: str) -> str:
    """``1 channel``, ``3 channels``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def size(nbytes: int) -> str:
    """Bytes, and the same in a larger unit: ``53,936 bytes (52.7 KiB)``."""
    unit = "byte" if nbytes == 1 else "bytes"
    if nbytes < 1024:
        return f"{nbytes} {unit}"
    large = f"{nbytes / 1024:.1f} KiB" if nbytes < 1024**2 else f"{nbytes / 1024**2:.1f} MiB"
    return f"{nbytes:,} {unit} ({large})"


def duration(seconds: float) -> str:
    """A time with three digits and a unit: ``1.23 ms``."""
    value, unit = seconds * 1e6, "µs"
    if value >= 1e6:
        value, unit = seconds, "s"
    elif value >= 1e3:
        value, unit = seconds * 1e3, "ms"
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f} {unit}"
