"""Pages for tests: what is drawn, without the library that draws it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

from arenite.analysis.overview import Overview, overview
from arenite.model import Model, ModelBuilder
from arenite.report.page.document import Page, page
from arenite.report.page.vega import Drawing, Spec


def undrawn(specs: Sequence[Spec]) -> Drawing:
    """Vega-Lite as it was specified, and a script that does nothing."""
    return Drawing(list(specs), "globalThis.vega = {};", {})


def page_of(model: Model, **settings: Any) -> Page:
    """A page without Vega."""
    return page(overview(model, **settings), undrawn)


def drawn(facts: Overview) -> Parsed:
    """An overview's page, read again."""
    return Parsed(page(facts, undrawn).html)


class Parsed(HTMLParser):
    """A page's elements: tags with their attributes, texts with the element around them."""

    VOID = frozenset({"br", "link", "meta"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        """What a person reads."""
        return "".join(data for tag, data in self.texts if tag not in ("script", "style"))

    @property
    def charts(self) -> list[dict[str, Any]]:
        """The specifications in the page."""
        (data,) = [text for tag, text in self.texts if tag == "script" and text.startswith("[")]
        specs: list[dict[str, Any]] = json.loads(data)
        return specs


def facts_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The values of a chart's marks, and their tips as ``tip``."""
    (layer,) = [one for one in spec["layer"] if one.get("name") == "facts"]
    return [{**value, "tip": json.loads(value["tip"])} for value in layer["data"]["values"]]


def chain(length: int) -> Model:
    """So many RELUs of eight floats."""
    b = ModelBuilder()
    at = b.input("x", (1, 8), "float32")
    for number in range(length):
        after = b.tensor(f"t{number}", (1, 8), "float32")
        b.operator("RELU", [at], [after])
        at = after
    b.output(at)
    return b.build()
