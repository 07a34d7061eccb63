"""Annotations of a workflow, and the table of its summary."""

from dataclasses import replace

import pytest

import arenite as ar
from arenite.report.github import annotation, summary
from tests.shared import DIGITS


@pytest.mark.parametrize(
    ("limits", "level"),
    [
        ({"ram": "8k"}, "notice"),
        ({"ram": "1k"}, "error"),
        ({"target": "cortex-m3", "clock": 64, "deadline": "1s"}, "warning"),
    ],
)
def test_an_annotation_has_the_level_of_the_outcome(limits, level):
    assert annotation(ar.fit(DIGITS, **limits)).startswith(f"::{level} file=")


def test_an_annotation_is_one_line_whatever_a_file_is_called():
    found = replace(ar.fit(DIGITS, ram="8k"), file="a,b:c%d\ne::error::x")
    line = annotation(found)
    assert "\n" not in line
    assert "file=a%2Cb%3Ac%25d%0Ae%3A%3Aerror%3A%3Ax,title=" in line


def test_a_summary_has_a_row_per_need_and_no_markup_of_names():
    lines = list(summary(replace(ar.fit(DIGITS, ram="8k"), file="<b>|x")))
    assert lines[0] == "### \\<b\\>\\|x: fits"
    assert sum(line.startswith(("| RAM", "| flash", "| time")) for line in lines) == 3
