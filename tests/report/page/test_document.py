"""A report's page: what is in it, and that names of a file stay text."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

import arenite as ar
from arenite.analysis.head_plans import head_plans
from arenite.analysis.overview import overview
from arenite.firmware.size import FirmwareSize
from arenite.model import Model, ModelBuilder
from arenite.report.page.document import page
from arenite.target import find_target
from tests.cli.models import classifier
from tests.report.page.pages import Parsed, chain, drawn, facts_of, page_of, undrawn
from tests.runtime.subgraphs import branches
from tests.shared import DIGITS, shared_model

HOSTILE = "</script><img src=x onerror=alert(1)><!--\"'&\x1b\u2028"


@pytest.fixture(scope="module")
def html() -> str:
    return page_of(ar.load(DIGITS), compare_with=["@cortex-m55"]).html


def hostile() -> Model:
    model = classifier()
    tensors = tuple(replace(t, name=f"{t.name}{HOSTILE}") for t in model.main.tensors)
    main = replace(model.main, tensors=tensors, name=HOSTILE)
    return replace(model, subgraphs=(main,), description=HOSTILE, source=f"{HOSTILE}.tflite")


def of_custom_operator(name: str) -> Model:
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "int8"), b.tensor("y", (1, 4), "int8")
    b.operator(name, [x], [y], custom_options=b"")
    b.output(y)
    return b.build()


# -- nothing from outside ----------------------------------------------------------------


def test_the_page_asks_nothing_of_a_network(html: str) -> None:
    parsed = Parsed(html)
    linked = [
        value
        for _, attributes in parsed.elements
        for key, value in attributes.items()
        if key in ("src", "href", "action", "data", "srcset", "style")
    ]
    assert [value for value in linked if not str(value).startswith("#")] == []
    (policy,) = [m["content"] for m in parsed.named("meta") if "http-equiv" in m]
    assert str(policy).startswith("default-src 'none'; ")
    assert "unsafe" not in str(policy)


def test_the_policy_names_the_page_s_own_script_and_style(html: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    script = re.search(r'<script type="module">(.*?)</script>', html, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert policy
    assert script
    assert style
    for one in (script, style):
        digest = b64encode(hashlib.sha256(one[1].encode()).digest()).decode()
        assert f"sha256-{digest}" in policy[1]


# -- names are text ----------------------------------------------------------------------


@pytest.mark.parametrize("model", [hostile(), of_custom_operator(HOSTILE)], ids=["ran", "refused"])
def test_no_name_becomes_an_element_or_a_script(model: Model) -> None:
    html = page_of(model, compare_with=["@cortex-m55"]).html
    parsed = Parsed(html)
    assert parsed.named("img") == []
    assert len(parsed.named("script")) == html.count("</script") == 2
    assert all("onerror" not in attributes for _, attributes in parsed.elements)
    assert "<!--" not in html
    assert "<img src=x onerror=alert(1)>" in parsed.text


def test_names_with_controls_are_shown_with_escapes() -> None:
    html = page_of(hostile()).html
    assert "\x1b" not in html
    assert "\u2028" not in html
    assert "\\x1b\\u2028" in html


# -- what is said ------------------------------------------------------------------------


def test_it_has_every_section(html: str) -> None:
    parsed = Parsed(html)
    assert [a["id"] for a in parsed.named("h2")] == [
        f"h-{name}" for name in ("Memory", "Graph", "Cost", "Paths", "Walk", "Compare")
    ]
    assert len(parsed.named("li")) == 12  # ten operators, inputs, outputs
    assert "arm_depthwise_conv_s8" in parsed.text
    assert "The reference kernel's value" in parsed.text


def test_it_leads_with_the_verdict_and_an_export_beside_it() -> None:
    facts = overview(DIGITS, board="nano33ble", deadline="15ms")
    exported = FirmwareSize("cortex-m4", 1920, 8000, 3570, 152, 100_000)
    text = Parsed(page(facts, undrawn, exported).html).text
    assert text.index("nano33ble (nRF52840); cortex-m4") < text.index("It fits: the arena into RAM")
    assert text.index("It fits") < text.index("Memory over time")
    for words in (
        "11,570 bytes",
        "ms (0.1 M cycles of computing",
        "1,920 bytes (152 bytes of stack",
    ):
        assert words in text


def test_without_a_board_it_leads_with_what_the_model_needs() -> None:
    facts = overview(DIGITS)
    text = Parsed(page(facts, undrawn, FirmwareSize("cortex-m4", reason="no kernel")).html).text
    assert "What it needs; arenite report MODEL --board NAME says" in text
    assert "It fits" not in text
    assert "M cycles" in text
    assert "arenite export cannot write it: no kernel." in text


def test_a_deadline_takes_a_clock() -> None:
    with pytest.raises(ValueError, match="expected a clock for the deadline"):
        overview(DIGITS, deadline=5)


def test_plans_that_are_as_high_are_one_chart() -> None:
    facts = overview(DIGITS)
    assert facts.head is not None
    plans = facts.head.plans
    assert plans.greedy == plans.optimal
    parsed = drawn(facts)
    titles = list(charts_by_title(parsed))
    assert titles[:2] == ["TFLM's greedy plan and the best plan found", "The lower bound"]
    assert "offset, best" not in parsed.text


def test_plans_of_different_heights_have_a_chart_each() -> None:
    facts = overview(ar.load(shared_model("vww_int8")))
    parsed = drawn(facts)
    assert list(charts_by_title(parsed))[:2] == ["TFLM's greedy plan", "The best plan found"]
    assert "offset, best" in parsed.text


def charts_by_title(parsed: Parsed) -> dict[str, dict[str, Any]]:
    return {spec["description"].split(":")[0]: spec for spec in parsed.charts}


def test_the_memory_map_has_the_plans_own_numbers() -> None:
    model = ar.load(shared_model("vww_int8"))
    facts = overview(model, target="cortex-m4")
    charts = charts_by_title(drawn(facts))
    micro = ar.Interpreter(model, target="cortex-m4")
    planned = [
        (f"{place}", f"{b.size:,}", f"{b.offset:,}") for place, b in enumerate(micro.plan.buffers)
    ]
    greedy = facts_of(charts["TFLM's greedy plan"])
    tips = [value["tip"] for value in greedy]
    shown = [(tip["buffer"].split(" ")[0], tip["bytes"], tip["offset"]) for tip in tips]
    assert shown == planned
    assert max(v["top"] for v in greedy) == micro.plan.head == 73_728
    best = facts_of(charts["The best plan found"])
    plans = head_plans(model, find_target("cortex-m4"))
    assert max(v["top"] for v in best) == plans.optimal == 55_296
    alive = facts_of(charts["The lower bound"])
    assert max(v["bytes"] for v in alive) == plans.lower_bound
    assert [v["tip"]["moment"] for v in alive if "peak" in v["tip"]] == ["operator 2"]


def test_no_two_buffers_of_a_drawn_plan_overlap() -> None:
    model = ar.load(DIGITS)
    for title, spec in charts_by_title(drawn(overview(model))).items():
        if "plan" not in title:
            continue
        values = facts_of(spec)
        for place, one in enumerate(values):
            for other in values[:place]:
                apart_in_time = one["end"] <= other["begin"] or other["end"] <= one["begin"]
                apart = one["top"] <= other["offset"] or other["top"] <= one["offset"]
                assert apart_in_time or apart


def test_costs_are_drawn_as_estimated() -> None:
    facts = overview(ar.load(DIGITS))
    assert facts.cost is not None
    values = facts_of(charts_by_title(drawn(facts))["Cycles per operator"])
    assert [v["cycles"] for v in values] == [one.cycles for one in facts.cost.costs if one]


def test_a_comparison_is_drawn_where_something_differs() -> None:
    model = ar.load(shared_model("ic_int8"))
    facts = overview(model, compare_with=["@cortex-m4"])
    (found,) = facts.comparisons
    parsed = drawn(facts)
    assert found.equal == ("Error by operator" not in charts_by_title(parsed))


def test_every_chart_has_a_place_of_its_own_that_says_what_it_is(html: str) -> None:
    parsed = Parsed(html)
    places = [a for _, a in parsed.elements if "data-chart" in a]
    assert [int(str(a["data-chart"])) for a in places] == list(range(len(parsed.charts)))
    for place, spec in zip(places, parsed.charts, strict=True):
        assert str(place["aria-label"]).startswith(spec["description"])
        assert place["tabindex"] == "0"


def test_every_subgraph_is_drawn_and_operators_are_named_with_theirs() -> None:
    parsed = drawn(overview(branches()))
    titles = [text for tag, text in parsed.texts if tag == "h3"]
    assert [title.split(" ")[1] for title in titles[:3]] == ["0", "1", "2"]
    assert "ADD 0 of subgraph 1, 0 of subgraph 2" in parsed.text
    alive = facts_of(charts_by_title(parsed)["The lower bound"])
    assert [value["tip"]["moment"] for value in alive] == [
        "the inputs",
        "operator 0",
        "inputs of subgraph 1",
        "operator 1.0",
        "inputs of subgraph 2",
        "operator 2.0",
    ]


# -- what stands in the way --------------------------------------------------------------


def test_a_model_that_is_refused_has_a_page_that_says_why() -> None:
    parsed = drawn(overview(ar.load(shared_model("kws_hybrid"))))
    assert "Weights are integers" in parsed.text
    assert [a["id"] for a in parsed.named("h2")] == ["h-Graph"]


def test_operators_that_nobody_has_are_named_once() -> None:
    facts = overview(of_custom_operator("SMOOTH"))
    assert sum("SMOOTH" in one.reason for one in facts.obstacles) == 1
    assert "SMOOTH" in drawn(facts).text


def test_a_processor_without_costs_is_said() -> None:
    facts = overview(ar.load(DIGITS), target="cortex-m3")
    assert facts.cost is None
    assert "not for cortex-m3" in drawn(facts).text


# -- sizes -------------------------------------------------------------------------------


def test_a_large_model_has_a_page_of_bounded_size() -> None:
    parsed = Parsed(html := page_of(chain(400)).html)
    assert len(html) < 500_000
    assert "150 more operators are not drawn" in parsed.text
    assert "201 smaller ones are not drawn" in parsed.text


def test_a_page_is_saved_whole(tmp_path: Any) -> None:
    page = page_of(chain(1))
    assert page.save(tmp_path / "a.html").read_text(encoding="utf-8") == page.html
    assert "bytes of HTML" in repr(page)
