"""Small SVG pictures for the documentation: boxes, numbers and arrows on light and dark pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

#: Class names of fills, with their colours on light and on dark pages.
FILLS = {
    "blue": ("#cfe8f3", "#1d4558"),
    "amber": ("#fbe3b5", "#594412"),
    "green": ("#d3ecce", "#254a22"),
    "pink": ("#efd6ea", "#52304b"),
    "grey": ("#e4e6e8", "#33383e"),
    "red": ("#f7cfc9", "#5c2d26"),
    "none": ("none", "none"),
}
_INK, _DIM, _PAPER = ("#1f2328", "#e6edf3"), ("#59636e", "#9aa4af"), ("#ffffff", "#0d1117")
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
SMALL, NORMAL, LARGE = 11, 12, 15


class Drawing:
    """A picture of a width and a height in pixels, drawn from top to bottom."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "start",
        size: int = NORMAL,
        **kind: bool,
    ) -> None:
        """A line of text with its base at ``y``; ``bold``, ``dim`` or ``slanted``, if true."""
        turned = f' transform="rotate(-38 {x:g} {y:g})"' if kind.pop("slanted", False) else ""
        classes = " ".join(["t", *(name for name, on in kind.items() if on)])
        self._parts.append(
            f'<text class="{classes}" x="{x:g}" y="{y:g}" text-anchor="{anchor}" '
            f'font-size="{size}"{turned}>{escape(text)}</text>'
        )

    def box(
        self,
        corner: tuple[float, float],
        size: tuple[float, float],
        fill: str = "none",
        text: str = "",
    ) -> None:
        """A rectangle from its upper left corner on, with a text in its middle."""
        (x, y), (width, height) = corner, size
        self._parts.append(
            f'<rect class="{fill} l" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
        )
        if text:
            self.text(x + width / 2, y + height / 2 + NORMAL / 3, text, anchor="middle")

    def cells(
        self,
        x: float,
        y: float,
        texts: Sequence[str],
        *,
        width: float = 46,
        height: float = 26,
        fills: Sequence[str] = (),
    ) -> None:
        """Boxes in a row."""
        for place, text in enumerate(texts):
            fill = fills[place] if fills else "none"
            self.box((x + place * width, y), (width, height), fill, text)

    def line(self, *points: tuple[float, float], arrow: bool = False) -> None:
        """A line through points, with a head at its end if it is an arrow."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        head = ' marker-end="url(#head)"' if arrow else ""
        self._parts.append(f'<polyline class="s" points="{path}"{head}/>')

    def arrow(self, *points: tuple[float, float]) -> None:
        """A line with a head."""
        self.line(*points, arrow=True)

    def svg(self) -> str:
        """The document."""
        size = (
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        )
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
                f"<title>{escape(self.title)}</title>",
                f"<style>{_style(0)} @media (prefers-color-scheme: dark) {{{_style(1)}}}</style>",
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
                'markerHeight="8" orient="auto"><path class="h" d="M0 0L8 4L0 8z"/></marker>'
                "</defs>",
                '<rect class="p" width="100%" height="100%"/>',
                *self._parts,
                "</svg>",
                "",
            ]
        )


def documents(folder: Path, figures: Iterable[Callable[[], Drawing]]) -> Iterator[tuple[Path, str]]:
    """The files, named after the functions that draw them, and texts of pictures."""
    for figure in figures:
        yield folder / f"{figure.__name__}.svg", figure().svg()


def _style(dark: int) -> str:
    fills = " ".join(f".{name}{{fill:{colours[dark]}}}" for name, colours in FILLS.items())
    ink, dim = _INK[dark], _DIM[dark]
    return (
        f"text{{font-family:{_FONT}}} .p{{fill:{_PAPER[dark]}}} {fills} .t,.h{{fill:{ink}}} "
        f".dim{{fill:{dim}}} .bold{{font-weight:bold}} .l{{stroke:{dim}}} "
        f".s{{fill:none;stroke:{dim};stroke-width:1.3}}"
    )
