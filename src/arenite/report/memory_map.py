"""The plan of an arena's head drawn in a terminal: offset upwards, time to the right.

Every buffer is a rectangle filled with one character of its own among its neighbours, in
its own colour, with its number inside where there is room.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.text import Text

from arenite.memory.plan import PlannedBuffer
from arenite.model.text import printable
from arenite.report.text import number

COLORS = ("cyan", "yellow", "green", "magenta", "blue", "red", "bright_cyan", "bright_yellow")
_MAX_CELLS_PER_MOMENT = 8
#: From this on all moments are equally wide; below, every cell counts.
_EVEN_CELLS_PER_MOMENT = 3
_EMPTY = -1


@dataclass(frozen=True)
class Glyphs:
    """The characters of a drawing."""

    fills: str = "█▓▒░"
    vertical: str = "│"
    horizontal: str = "─"
    corner: str = "└"
    tick: str = "┴"


UNICODE = Glyphs()
ASCII = Glyphs("#%+:", "|", "-", "+", "+")


def color_of(index: int) -> str:
    """The colour of buffer ``index``."""
    return COLORS[index % len(COLORS)]


def buffer_name(buffer: PlannedBuffer) -> str:
    """Name of a buffer; of tensors without a name their index."""
    return printable(buffer.name) or f"{buffer.kind} {buffer.index}"


def lifetime(buffer: PlannedBuffer) -> str:
    """A buffer's lifetime, in words: ``operators 2 to 4``."""
    if buffer.kind == "variable":
        return "always"
    if buffer.end <= max(buffer.begin, 0):
        return "never"
    first, last = buffer.begin - 1, buffer.end - 2
    if last < 0:
        return "before operator 0"
    if first < 0:
        return f"input to operator {last}"
    return f"operator {first}" if first == last else f"operators {first} to {last}"


def extent(buffers: Sequence[PlannedBuffer]) -> tuple[int, int]:
    """Bytes and moments that the buffers reach to."""
    top = max((b.offset + b.size for b in buffers), default=0)
    return top, max((b.end for b in buffers), default=0)


def draw_map(
    buffers: Sequence[PlannedBuffer], width: int, height: int = 16, glyphs: Glyphs = UNICODE
) -> list[Text]:
    """A head's plan as lines of at most ``width`` cells, ``height`` of them for the memory.

    A cell shows the buffer that takes most of its bytes and moments.
    """
    top, moments = extent(buffers)
    if not top or not moments:
        return [Text("no planned buffers", style="dim")]
    margin = len(number(top)) + 2
    room = max(width - margin, 8)
    columns = min(room, moments * _MAX_CELLS_PER_MOMENT)
    if columns >= _EVEN_CELLS_PER_MOMENT * moments:
        columns -= columns % moments
    cells = _cells(buffers, top, moments, columns, height)
    labels = _labels(cells)
    fills = _fills(cells, len(glyphs.fills))
    lines = []
    for row in range(height - 1, -1, -1):
        line = Text(_offset_label(row, height, top).rjust(margin - 2) + " " + glyphs.vertical)
        glyph_row = [
            _cell(index, labels.get((row, column)), glyphs.fills[fills.get(index, 0)])
            for column, index in enumerate(cells[row])
        ]
        for style, group in groupby(glyph_row, key=lambda cell: cell[1]):
            line.append("".join(char for char, _ in group), style=style)
        line.rstrip()
        lines.append(line)
    return lines + _time_axis(moments, columns, margin, glyphs)


def _cell(index: int, label: str | None, fill: str) -> tuple[str, str]:
    """A cell's character and style."""
    if index == _EMPTY:
        return " ", ""
    if label:
        return label, f"bold black on {color_of(index)}"
    return fill, color_of(index)


def _offset_label(row: int, height: int, top: int) -> str:
    """Bytes at the upper edge of the top row and of every fourth."""
    if row != height - 1 and (height - 1 - row) % 4:
        return ""
    return number(round(top * (row + 1) / height))


def _cells(
    buffers: Sequence[PlannedBuffer], top: int, moments: int, columns: int, height: int
) -> list[list[int]]:
    """The buffer shown in every row (from offset 0 up) and column, by index."""
    shares: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for index, buffer in enumerate(buffers):
        rows = _spread(buffer.offset, buffer.offset + buffer.size, top, height)
        times = _spread(max(buffer.begin, 0), buffer.end, moments, columns)
        for column, time in times.items():
            for row, space in rows.items():
                shares[row, column][index] += time * space
    return [
        [
            shares[row, column].most_common(1)[0][0] if (row, column) in shares else _EMPTY
            for column in range(columns)
        ]
        for row in range(height)
    ]


def _spread(begin: int, end: int, total: int, bins: int) -> dict[int, int]:
    """The share of ``[begin, end)`` in each of ``bins`` equal parts of ``[0, total)``.

    Lengths are in units of ``1 / bins``, so that everything is whole numbers.
    """
    begin, end = begin * bins, end * bins
    parts = range(begin // total, -(-end // total))
    return {part: min(end, (part + 1) * total) - max(begin, part * total) for part in parts}


def _labels(cells: list[list[int]]) -> dict[tuple[int, int], str]:
    """The characters of every buffer's number, by row and column, inside its rectangle.

    Two numbers never touch.
    """
    runs: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row, line in enumerate(cells):
        column = 0
        for index, group in groupby(line):
            length = len(list(group))
            if index != _EMPTY:
                runs[index].append((row, column, length))
            column += length
    labels: dict[tuple[int, int], str] = {}
    for index, places in runs.items():
        text = str(index)
        middle = sum(row for row, _, _ in places) / len(places)
        for row, column, length in sorted(places, key=lambda p: (-p[2], abs(p[0] - middle), -p[0])):
            start = column + (length - len(text)) // 2
            around = ((row, start - 1), (row, start + len(text)))
            if length >= len(text) and not any(place in labels for place in around):
                labels.update({(row, start + i): char for i, char in enumerate(text)})
                break
    return labels


def _fills(cells: list[list[int]], count: int) -> dict[int, int]:
    """A fill for every buffer, other than those of the buffers it touches if that can be."""
    touching: defaultdict[int, set[int]] = defaultdict(set)
    for row, line in enumerate(cells):
        for column, index in enumerate(line):
            neighbours = [line[column - 1]] if column else []
            neighbours += [cells[row - 1][column]] if row else []
            for other in neighbours:
                touching[index].add(other)
                touching[other].add(index)
    fills: dict[int, int] = {}
    for index in sorted(touching.keys() - {_EMPTY}):
        taken = Counter(fills[o] for o in touching[index] if o in fills)
        fills[index] = min(range(count), key=lambda fill: (taken[fill], fill))
    return fills


def _time_axis(moments: int, columns: int, margin: int, glyphs: Glyphs) -> list[Text]:
    """The axis, and operator numbers below the columns where the operators begin."""
    axis = [glyphs.horizontal] * columns
    labels = [" "] * columns
    free = 0
    for moment in range(moments):
        column = moment * columns // moments
        text = "in" if moment == 0 else str(moment - 1)
        if column < free or column + len(text) > columns:
            continue
        axis[column] = glyphs.tick
        labels[column : column + len(text)] = text
        free = column + len(text) + 1
    return [
        Text("0".rjust(margin - 2) + " " + glyphs.corner + "".join(axis)),
        Text(" " * margin + "".join(labels).rstrip()),
    ]
