"""Pictures of the documentation: well-formed, readable on light and dark pages, nothing cut off."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arenite.report.drawing import FILLS, Drawing

pytest.importorskip("PIL")

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
#: Width of a character of the widest monospaced font in use, in sizes.
CHARACTER = 0.61

FIGURES = {
    path: text
    for script in ("make_memory.py", "make_conv2d.py", "make_firmware.py")
    for path, text in runpy.run_path(str(ROOT / "docs" / script))["figures"]()
}


def texts_outside(document: str) -> list[str]:
    """Level texts that begin or end outside of the picture."""
    root = ElementTree.fromstring(document)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    found = []
    for text in root.iter(f"{SVG}text"):
        words = text.text or ""
        x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
        length = CHARACTER * size * len(words)
        left = x - {"start": 0, "middle": length / 2, "end": length}[text.attrib["text-anchor"]]
        bottom = y
        if "transform" in text.attrib:  # rises by 38 degrees to its end at (x, y)
            left, bottom, length = x - 0.79 * length, y + 0.62 * length, 0.79 * length
        if left < 0 or left + length > width or y < size or bottom > height:
            found.append(words)
    return found


def test_texts_are_escaped_and_fills_have_two_colours():
    d = Drawing(100, 50, "a < b")
    d.box((1, 2), (30, 20), "blue", "x & y")
    d.arrow((1, 2), (3, 4))
    root = ElementTree.fromstring(d.svg())
    assert [e.text for e in root.iter(f"{SVG}title")] == ["a < b"]
    assert [e.text for e in root.iter(f"{SVG}text")] == ["x & y"]
    light, dark = d.svg().split("prefers-color-scheme: dark")
    for name, colours in FILLS.items():
        assert f".{name}{{fill:{colours[0]}}}" in light
        assert f".{name}{{fill:{colours[1]}}}" in dark


def test_a_text_that_is_cut_off_is_found():
    d = Drawing(100, 50, "")
    d.text(60, 20, "too long for it")
    d.text(5, 60, "below")
    assert texts_outside(d.svg()) == ["too long for it", "below"]


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_no_text_of_a_figure_is_cut_off_and_every_fill_is_known(path):
    assert texts_outside(FIGURES[path]) == []
    used = set(re.findall(r'<rect class="(\w+) l"', FIGURES[path]))
    assert used <= FILLS.keys()
