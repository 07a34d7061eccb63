"""Reports opened in Chromium, offline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import arenite as ar
from arenite.analysis.overview import overview
from arenite.memory.plan import PlannedBuffer
from arenite.quantize.outcome import quantization_facts
from arenite.quantize.settings import Budget
from arenite.report.page.document import Page, page
from arenite.report.page.vega import draw
from tests.cli.models import classifier
from tests.quantize.agreement import samples
from tests.quantize.models import random_dense
from tests.report.browser.chromium import Tab
from tests.report.page.pages import chain
from tests.shared import shared_model

pytest.importorskip("vl_convert", reason="what draws the charts is not installed")

Opened = Callable[..., Tab]
GREEDY, BEST, BOUND = "TFLM's greedy plan", "The best plan found", "The lower bound"


@pytest.fixture(scope="module")
def vww() -> Page:
    facts = overview(shared_model("vww_int8"), compare_with=["@litert"])
    return page(facts, draw)


@pytest.fixture(scope="module")
def small() -> Page:
    return page(overview(classifier()), draw)


def buffers(model: ar.Model, planner: str) -> list[PlannedBuffer]:
    plan = ar.Interpreter(model, target="cortex-m4", planner=planner).plan
    return [b for b in plan.buffers if b.kind != "variable" and b.end > b.begin]


def test_a_page_is_drawn_without_a_word_on_the_console(opened: Opened, vww: Page) -> None:
    tab = opened(vww)
    assert tab.console == []
    assert tab.run("return document.querySelectorAll('.chart svg').length") >= 4
    assert tab.run("return performance.getEntriesByType('resource').length") == 0


def test_a_quantisation_is_drawn(opened: Opened) -> None:
    model = random_dense(32, 32, 4)
    result, report = ar.quantize(model, samples(model, 40), budget=Budget(flash=3_600))
    tab = opened(page(overview(result), draw, quantization=quantization_facts(report)))
    assert tab.console == []
    assert len(tab.marks("SQNR of every layer's output")) == 2
    assert len(tab.marks("SQNR against bytes of flash")) == len(report.front)
    assert len(tab.marks("y0")) > 5


def test_the_page_is_smaller_than_a_megabyte(vww: Page) -> None:
    assert len(vww.html.encode()) < 1_000_000


@pytest.mark.parametrize(("title", "planner"), [(GREEDY, "greedy"), (BEST, "optimal")])
def test_hover_shows_the_bytes_of_the_plan(
    opened: Opened, vww: Page, title: str, planner: str
) -> None:
    planned = buffers(ar.load(shared_model("vww_int8")), planner)
    tab = opened(vww)
    marks = tab.marks(title)
    assert len(marks) == len(planned)
    for place in (0, 3, 17):
        shown, meant = tab.point_at(marks[place]), planned[place]
        assert shown["bytes"] == f"{meant.size:,}"
        assert shown["offset"] == f"{meant.offset:,}"
        assert shown["buffer"].split(" ")[0] == str(place)


def test_a_rectangle_is_where_its_buffer_is(opened: Opened, vww: Page) -> None:
    """Heights in pixels are as bytes, positions as offsets."""
    planned = buffers(ar.load(shared_model("vww_int8")), "greedy")
    boxes = [mark.rect for mark in opened(vww).marks(GREEDY)]
    scale = boxes[3]["height"] / planned[3].size
    bottom = boxes[3]["y"] + boxes[3]["height"] + planned[3].offset * scale
    for box, buffer in zip(boxes, planned, strict=True):
        assert box["height"] == pytest.approx(buffer.size * scale, abs=2.5)
        top = bottom - (buffer.offset + buffer.size) * scale
        assert box["y"] == pytest.approx(top, abs=2.5)


def test_the_peak_is_marked(opened: Opened, vww: Page) -> None:
    tab = opened(vww)
    tips = [tab.point_at(mark) for mark in tab.marks(BOUND)[:5]]
    assert [tip["moment"] for tip in tips if "peak" in tip] == ["operator 2"]
    assert max(int(tip["bytes alive"].replace(",", "")) for tip in tips) == 55_296


def test_keys_go_from_mark_to_mark(opened: Opened, small: Page) -> None:
    tab = opened(small)
    chart = tab.driver.find_element("css selector", ".chart")
    tab.run("arguments[0].focus()", chart)
    assert tab.focus.startswith(GREEDY)
    planned = buffers(classifier(), "greedy")
    assert tab.press("ARROW_RIGHT")["bytes"] == f"{planned[0].size:,}"
    assert tab.press("ARROW_RIGHT")["bytes"] == f"{planned[1].size:,}"
    assert f"{planned[1].size:,} bytes at {planned[1].offset:,}" in tab.focus
    assert tab.press("END")["offset"] == f"{planned[-1].offset:,}"
    assert tab.press("HOME")["offset"] == f"{planned[0].offset:,}"
    assert tab.press("ESCAPE") == {}


def test_the_first_stop_of_tab_skips_to_the_report(opened: Opened, small: Page) -> None:
    tab = opened(small)
    tab.press("TAB")
    assert tab.focus == "To the report"
    tab.press("ENTER")
    assert tab.run("return location.hash") == "#report"


def test_every_chart_and_table_is_reached_with_tab(opened: Opened, small: Page) -> None:
    tab = opened(small)
    for fold in tab.driver.find_elements("css selector", "details"):
        tab.run("arguments[0].open = true", fold)
    wanted = "return [...document.querySelectorAll('.chart, .scroll, button')].length"
    reached = set()
    for _ in range(40):
        tab.press("TAB")
        reached.add(tab.run("return document.activeElement.outerHTML.slice(0, 200)"))
    kinds = ('class="chart"', 'class="scroll"', "<button")
    assert sum(any(kind in one for kind in kinds) for one in reached) == tab.run(wanted)


def test_operators_of_the_graph_show_their_tensors(opened: Opened, small: Page) -> None:
    tab = opened(small)
    row = tab.driver.find_element("id", "op-0-1")
    shown = tab.point_at(row)
    assert shown["operator"] == "1 CONV_2D"
    assert shown["input 0"] == "int8[1,8,8,3] features"
    assert tab.run("return arguments[0].querySelectorAll('.lit').length", row) == 2
    tab.run("arguments[0].focus()", tab.driver.find_element("css selector", ".graph li"))
    assert tab.press("ARROW_DOWN")["operator"] == "0 CONV_2D"


@pytest.mark.parametrize("width", [360, 768, 1200])
def test_nothing_is_wider_than_the_window(opened: Opened, vww: Page, width: int) -> None:
    tab = opened(vww, width=width)
    for fold in tab.driver.find_elements("css selector", "details"):
        tab.run("arguments[0].open = true", fold)
    assert tab.run("return [innerWidth, document.documentElement.scrollWidth]") == [width, width]
    charts = tab.run("return [...document.querySelectorAll('.chart svg')].map((one) => "
                     "[one.getBoundingClientRect().right, innerWidth])")  # fmt: skip
    assert all(right <= inner for right, inner in charts)


def background(tab: Tab) -> str:
    color: str = tab.run("return getComputedStyle(document.body).backgroundColor")
    return color


def axis_color(tab: Tab) -> str:
    color: str = tab.run(
        "return getComputedStyle(document.querySelector('.role-axis-label text')).fill"
    )
    return color


def test_the_page_is_dark_where_the_system_is_or_as_the_button_says(
    opened: Opened, small: Page
) -> None:
    light, dark = opened(small), (background, axis_color)
    bright = [look(light) for look in dark]
    tab = opened(small, dark=True)
    dim = [look(tab) for look in dark]
    assert (bright[0], dim[0]) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)")
    assert bright[1] != dim[1]
    button = tab.driver.find_element("id", "theme")
    assert button.text == "Light"
    button.click()
    assert [look(tab) for look in dark] == bright
    button.click()
    assert [look(tab) for look in dark] == dim


def test_names_of_a_file_run_nothing(opened: Opened) -> None:
    name = "</script><img src=x onerror='hit=1'><script>hit=1</script>"
    model = classifier()
    tensors = tuple(replace(t, name=f"{t.name}{name}") for t in model.main.tensors)
    hostile = replace(model, subgraphs=(replace(model.main, tensors=tensors, name=name),))
    facts = overview(replace(hostile, description=name), compare_with=["@cortex-m55"])
    tab = opened(page(facts, draw))
    for mark in tab.marks(GREEDY)[:3]:
        assert name[:20] in tab.point_at(mark)["buffer"]
    assert tab.run("return [typeof hit, document.images.length]") == ["undefined", 0]
    assert tab.console == []


def test_a_model_that_is_refused_has_a_page(opened: Opened) -> None:
    tab = opened(page(overview(shared_model("kws_hybrid")), draw))
    assert tab.console == []
    assert "Weights are integers" in tab.driver.find_element("css selector", ".obstacles").text


def test_a_model_of_a_thousand_operators_is_drawn(opened: Opened) -> None:
    tab = opened(page(overview(chain(1000)), draw), width=360)
    assert tab.console == []
    assert len(tab.marks(GREEDY)) == 200


def test_what_is_folded_is_printed(opened: Opened, small: Page) -> None:
    tab = opened(small)
    closed = "return document.querySelectorAll('details:not([open])').length"
    before = tab.run(closed)
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert tab.run(closed) == 0
    tab.run("dispatchEvent(new Event('afterprint'))")
    assert tab.run(closed) == before > 0
