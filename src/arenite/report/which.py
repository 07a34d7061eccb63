"""Builds that explain a firmware's numbers, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.which.explained import Explained, Group
from arenite.report.text import counted, number, wrapped

#: Groups that are shown; --json has all.
_SHOWN = 5
_INDENT = 3


def render_which(found: Explained, width: int) -> Iterator[Text]:
    """Builds in their order, and what would tell them apart."""
    for sentence in _sentences(found):
        yield from wrapped(sentence, width, indent=_INDENT)


def _sentences(found: Explained) -> Iterator[str]:
    given = found.given.numbers
    yield f"{counted(len(given), 'number')} of '{found.file}' next to {number(found.tried)} builds"
    for name in found.given.unknown:
        yield f"Nothing is known of '{name}', which is not compared."
    if not found.groups:
        yield "No build that is known explains them all. These come nearest:"
        yield from _nearest(found)
        return
    for place, group in enumerate(found.groups[:_SHOWN], 1):
        mark = f"{place}. " if len(found.groups) > 1 else ""
        first, *others = group.lines
        yield f"{mark}{first}"
        yield from (f"or {line}" for line in others)
    more = len(found.groups) - _SHOWN
    if more > 0:
        yield f"and {more} more that are less likely; --json has them."
    yield from _besides(found)


def _nearest(found: Explained) -> Iterator[str]:
    given = found.given.numbers
    for group in found.nearest:
        yield from map(str, group.lines)
        for name in group.differing:
            yield f"{name}: {number(group.numbers.get(name, 0))}, not {number(given[name])}"


def _besides(found: Explained) -> Iterator[str]:
    if len(found.groups) == 1:
        group = found.groups[0]
        if len(group.lines) > 1 or len(group.builds) > 1:
            yield "Their arenas are the same: no number of it tells them apart."
        return
    if not found.asks:
        yield "Nothing else that TFLM prints of an arena tells them apart."
        return
    yield f"To tell them apart, let RecordingMicroAllocator print {_rows(found.asks)}:"
    for name in found.asks:
        yield f"{name}: {_values(found.groups[:_SHOWN], name)}"


def _rows(asks: Sequence[str]) -> str:
    """The lines that hold these numbers."""
    rows = dict.fromkeys(_row(name) for name in asks)
    return " and ".join(rows)


def _row(name: str) -> str:
    label = name.partition(":")[0]
    return "'Arena allocation head'" if label == "head" else f"its row '{label}'"


def _values(groups: Sequence[Group], name: str) -> str:
    """``"16,000 of 1 and 3, 15,488 of 2"``."""
    values: dict[int, list[str]] = {}
    for place, group in enumerate(groups, 1):
        values.setdefault(group.numbers.get(name, 0), []).append(str(place))
    return "; ".join(f"{number(value)} of {', '.join(of)}" for value, of in values.items())
