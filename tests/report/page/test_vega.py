"""Vega in its process."""

from __future__ import annotations

import pytest

from arenite.report.page import vega

BAR = {
    "data": {"values": [{"a": 1}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a", "type": "quantitative"}},
}


def test_a_chart_that_vega_refuses_is_missing_alone():
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    drawing = vega.draw([BAR, {"mark": "bar", "encoding": 1, "layer": 3}, BAR])
    assert [chart is None for chart in drawing.charts] == [False, True, False]
    assert drawing.charts[0]["$schema"].startswith("https://vega.github.io/schema/vega/")
    assert "globalThis.vega" in drawing.script
    assert list(drawing.missing) == [1]
    assert drawing.missing[1].startswith("vl-convert-python, which draws them, raises ")
