"""A page's section on a quantisation: every fact of the report is there, drawn and as a table."""

from __future__ import annotations

from typing import Any

import pytest

import arenite as ar
from arenite.analysis.overview import overview
from arenite.quantize.outcome import Report, quantization_facts
from arenite.quantize.settings import Budget
from arenite.report.page.document import page
from tests.quantize.agreement import samples
from tests.quantize.models import random_dense
from tests.report.page.pages import Parsed, facts_of, undrawn

HOSTILE = "</script><img src=x onerror=alert(1)>"
FLASH = 3_600


@pytest.fixture(scope="module")
def report() -> Report:
    model = random_dense(32, 32, 4, softmax=True)
    x = samples(model, 40)[0].reshape(40, 32)
    y = ar.Interpreter(model).predict(x).reshape(40, 4).argmax(axis=1)
    settings: dict[str, Any] = {"passes": ("ranges",), "keep_float": ["SOFTMAX"]}
    return ar.quantize(model, (x, y), budget=Budget(flash=FLASH), **settings)[1]


def parsed_of(report: Report, **others: Any) -> Parsed:
    facts = {**quantization_facts(report), **others}
    return Parsed(page(overview(report.model), undrawn, quantization=facts).html)


def charts_of(parsed: Parsed) -> dict[str, list[dict[str, Any]]]:
    """Marks by the title of their chart."""
    return {spec["description"]: facts_of(spec) for spec in parsed.charts}


def test_it_has_figures_of_both_models_and_their_accuracy(report: Report) -> None:
    text = parsed_of(report).text
    assert f"{report.before.arena:,}" in text
    assert f"{report.after.arena:,}" in text
    assert "accuracy" in text
    assert f"{report.scores['accuracy'][1]:.4g}" in text


def test_layers_are_drawn_and_the_one_that_loses_most_is_red(report: Report) -> None:
    (marks,) = (m for t, m in charts_of(parsed_of(report)).items() if t.startswith("SQNR of every"))
    assert [one["sqnr"] for one in marks] == [one.sqnr for one in report.layers]
    lost = [one["lost_db"] for one in quantization_facts(report)["layers"]]
    red = [place for place, one in enumerate(marks) if one["color"] == "var(--bad)"]
    assert red == [lost.index(max(lost))]


def test_histograms_hold_every_value_that_was_seen(report: Report) -> None:
    charts = charts_of(parsed_of(report))
    for spread in report.spreads:
        assert sum(one["count"] for one in charts[spread.tensor]) == spread.seen.count


def test_a_histogram_has_lines_where_the_integers_end(report: Report) -> None:
    spread = report.spreads[0]
    (spec,) = (s for s in parsed_of(report).charts if s["description"] == spread.tensor)
    places = [one["at"] for one in spec["layer"][0]["data"]["values"]]
    assert places == list(spread.range)


def test_mixtures_are_drawn_with_the_limit(report: Report) -> None:
    parsed = parsed_of(report)
    (spec,) = (s for s in parsed.charts if s["description"] == "SQNR against bytes of flash")
    marks = facts_of(spec)
    assert [(one["cost"], one["sqnr"]) for one in marks] == [
        (one.flash, one.sqnr) for one in report.front
    ]
    assert [one["color"] for one in marks].count("var(--peak)") == 1
    assert spec["layer"][0]["data"]["values"] == [{"at": FLASH}]


def test_what_stays_float_is_there_with_its_reason(report: Report) -> None:
    assert "asked for" in parsed_of(report).text
    assert "Nothing stays float." in parsed_of(report, floating=[]).text


def test_names_of_a_report_stay_text(report: Report) -> None:
    facts = quantization_facts(report)
    layers = [{**one, "tensor": HOSTILE, "name": HOSTILE} for one in facts["layers"]]
    ranges = [{**one, "tensor": HOSTILE} for one in facts["ranges"]]
    scores = {HOSTILE: [1.0, None]}
    changed = [{**one, "changed": {HOSTILE: HOSTILE}} for one in facts["front"]]
    parsed = parsed_of(
        report, layers=layers, ranges=ranges, scores=scores, front=changed, notes=[HOSTILE]
    )
    assert parsed.named("img") == []
    assert len(parsed.named("script")) == 2
    assert HOSTILE in parsed.text


def test_a_report_with_nothing_in_it_is_a_page_too(report: Report) -> None:
    lists = ("layers", "floating", "ranges", "front", "steps")
    empty: dict[str, Any] = {key: [] for key in lists}
    assert "From float to integers" in parsed_of(report, **empty, scores={}, notes=[]).text
