"""HTML from Python calls."""

from __future__ import annotations

import json

import pytest

from arenite.report.page.html import Html, folded, joined, json_block, shortened, table, tag, tip
from tests.report.page.pages import Parsed

HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"


@pytest.mark.parametrize(
    "made",
    [
        tag("p", HOSTILE),
        tag("p", title=HOSTILE),
        tag("p", [HOSTILE, [HOSTILE]]),
        joined(HOSTILE),
        table(HOSTILE, [HOSTILE], [[HOSTILE]]),
        folded(HOSTILE, HOSTILE),
        json_block("data", [HOSTILE]),
        tag("p", data_tip=tip({HOSTILE: HOSTILE})),
    ],
)
def test_a_text_is_never_markup(made: Html) -> None:
    assert Parsed(made).named("img") == []


def test_what_is_html_already_stays_so() -> None:
    assert tag("p", tag("b", "a"), "<") == "<p><b>a</b>&lt;</p>"


def test_elements_without_content_end_at_once() -> None:
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'
    assert tag("path", d="M0 0") == '<path d="M0 0"/>'


def test_attributes_that_are_not_there_are_left_out() -> None:
    made = tag("a", class_=None, hidden=True, open=False, data_chart=0)
    assert made == '<a hidden data-chart="0"></a>'


def test_json_comes_back_as_it_went_in() -> None:
    made = Parsed(json_block("data", {HOSTILE: [1, 2.5, None]}))
    assert json.loads(made.texts[0][1]) == {HOSTILE: [1, 2.5, None]}


def test_control_characters_are_shown() -> None:
    assert tag("p", "a\x1b\u202eb\nc") == "<p>a\\x1b\\u202eb\nc</p>"


def test_a_long_name_keeps_its_end() -> None:
    assert shortened("a" * 100 + "end", 12) == "aaaa…aaaend"
    assert shortened("short") == "short"
