"""Lines that are wider than the terminal."""

import pytest
from rich.cells import cell_len
from rich.text import Text

from arenite.report.text import fitted


def parts(text, width, **options):
    return [line.plain for line in fitted(Text(text), width, **options)]


@pytest.mark.parametrize("width", [4, 8, 9, 10, 20, 40])
def test_nothing_is_lost_and_nothing_is_wider(width):
    text = "in   int8[1,4]  image/" + "部分/" * 9 + "x" * 30 + " and more of it"
    found = parts(text, width)
    assert max(map(cell_len, found)) <= width
    assert "".join("".join(found).split()) == "".join(text.split())


def test_what_goes_on_begins_below_what_was_said():
    assert parts("peers     litert 2.3.0, mnn 3", 24) == [
        "peers     litert 2.3.0,",
        "          mnn 3",
    ]


def test_words_stay_whole_where_they_are_asked_for():
    assert parts("see " + "path/" * 5 + " b", 12, whole_words=True) == [
        "see",
        "  " + "path/" * 5,
        "  b",
    ]


def test_styles_are_kept():
    (_, second) = fitted(Text("word ") + Text("bold", style="bold"), 6)
    assert [second.plain[span.start : span.end] for span in second.spans if span.style] == ["bold"]
