"""How facts look in a terminal: numbers, names and tables that fit the width.

Names come from files and may hold anything; they are printed as plain text with control
characters escaped, never as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

from rich.cells import cell_len
from rich.text import Text

from arenite.model.text import printable

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


def wrapped(text: str, width: int, *, indent: int = 0, style: str = "") -> list[Text]:
    """A sentence as lines of at most ``width`` cells, all but the first indented."""
    lines = wrap(text, max(width, 20), subsequent_indent=" " * indent, break_on_hyphens=False)
    return [Text(line, style=style) for line in lines]


def name_text(name: str) -> str:
    """A name, or that there is none."""
    return printable(name) or "(no name)"


def number(value: int) -> str:
    """Digits in groups of three: ``1,234,567``."""
    return f"{value:,}"


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
