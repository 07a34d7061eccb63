"""Lines that a terminal would show, as HTML: one text for both."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from rich.text import Text

from arenite.report.page.html import Html, joined, tag

_KNOWN = frozenset({"bold", "dim", "green", "red", "yellow", "cyan"})


def block(lines: Iterable[Text], class_: str = "") -> Html:
    """Lines with their columns kept."""
    return tag("pre", "\n", [joined(_line(line), "\n") for line in lines], class_=class_ or None)


def paragraphs(lines: Iterable[Text]) -> Html:
    """A paragraph for every line."""
    return joined([tag("p", _line(line)) for line in lines])


def _line(line: Text) -> Html:
    styles: list[set[str]] = [_classes(line.style) for _ in range(len(line))]
    for span in line.spans:
        for place in range(span.start, min(span.end, len(line))):
            styles[place] |= _classes(span.style)
    pieces = []
    for classes, places in groupby(range(len(line)), key=lambda place: sorted(styles[place])):
        shown = "".join(line.plain[place] for place in places)
        pieces.append(tag("span", shown, class_=" ".join(classes)) if classes else shown)
    return joined(pieces)


def _classes(style: object) -> set[str]:
    return {f"t-{word}" for word in str(style).split() if word in _KNOWN}
