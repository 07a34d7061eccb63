"""HTML out of Python calls: whatever is not HTML already is text, and is escaped.

Names come from files and may hold anything. They get into a page through :func:`tag` and
:func:`json_block` only.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from arenite.model.text import printable

_EMPTY = frozenset({"br", "link", "meta"})
#: Of SVG, where an element is closed even if nothing can be in it.
_DRAWN = frozenset({"circle", "path"})


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


#: What can be inside an element.
Inside: TypeAlias = "str | Iterable[str]"


def text(value: str) -> Html:
    """Text as HTML; control characters are shown as escapes, lines stay lines."""
    return Html(html.escape("\n".join(map(printable, value.split("\n")))))


def tag(name: str, /, *inside: Inside, **attributes: str | int | float | bool | None) -> Html:
    """An element; ``class_`` is ``class``, ``data_tip`` is ``data-tip``, None and False nothing.

    >>> tag("p", "a < b", class_="dim")
    '<p class="dim">a &lt; b</p>'
    """
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        name_of = key.rstrip("_").replace("_", "-")
        words.append(name_of if value is True else f'{name_of}="{text(str(value))}"')
    opened = f"<{' '.join(words)}>"
    if name in _DRAWN:
        return Html(f"{opened[:-1]}/>")
    return Html(opened if name in _EMPTY else f"{opened}{joined(*inside)}</{name}>")


def joined(*inside: Inside) -> Html:
    """Several pieces in a row, those that are no HTML escaped."""
    pieces: list[str] = []
    for piece in inside:
        if isinstance(piece, str):
            pieces.append(piece if isinstance(piece, Html) else text(piece))
        else:
            pieces += [joined(one) for one in piece]
    return Html("".join(pieces))


def json_block(name: str, data: Any) -> Html:
    """Data for a script of the page, in an element that no text can end."""
    dumped = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for char in "<>&":
        dumped = dumped.replace(char, f"\\u{ord(char):04x}")
    return tag("script", Html(dumped), type="application/json", id=name)


def tip(rows: Mapping[str, str]) -> str:
    """Text of an element under the pointer: rows of ``data-tip``."""
    return json.dumps({shortened(key): shortened(value) for key, value in rows.items()})


def shortened(name: str, most: int = 120) -> str:
    """A name without its middle, if it is long; names differ at the end."""
    shown = printable(name)
    return shown if len(shown) <= most else f"{shown[: most // 3]}…{shown[-most // 2 :]}"


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    row_ids: Sequence[str] = (),
) -> Html:
    """A table that scrolls in a box of its own; columns of ``numbers`` are set to the right."""

    def cell(kind: str, place: int, value: str, **more: str) -> Html:
        return tag(kind, value, class_="number" if place in numbers else None, **more)

    body = [
        tag(
            "tr",
            [cell("td", place, value) for place, value in enumerate(row)],
            id=row_ids[line] if row_ids else None,
        )
        for line, row in enumerate(rows)
    ]
    head = tag("tr", [cell("th", i, one, scope="col") for i, one in enumerate(headings)])
    inside = tag(
        "table",
        tag("caption", caption, class_="unseen"),
        tag("thead", head),
        tag("tbody", body),
    )
    return tag("div", inside, class_="scroll", tabindex=0, role="region", aria_label=caption)


def folded(summary: Inside, *inside: Inside, is_open: bool = False) -> Html:
    """Something to open."""
    return tag("details", tag("summary", summary), *inside, open=is_open)
