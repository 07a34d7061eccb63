"""The page: head, sections, data and scripts in one file that asks nothing of a network."""

from __future__ import annotations

import hashlib
import os
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from arenite.analysis.overview import Overview
from arenite.analysis.vela_report import estimated
from arenite.files import replacing
from arenite.firmware.size import FirmwareSize
from arenite.model.text import printable
from arenite.quantize.outcome import digest
from arenite.report.model import ports_rows
from arenite.report.page import sections
from arenite.report.page.charts import Chart
from arenite.report.page.fits import fits
from arenite.report.page.graph import graph_section
from arenite.report.page.html import Html, folded, joined, json_block, table, tag
from arenite.report.page.quantized import Facts, quantized
from arenite.report.page.vega import Draw, Drawing
from arenite.report.text import number, size


@dataclass(frozen=True)
class Page:
    """A report as HTML: one file, without a network.

    Attributes:
        html: Its text.
        missing: Charts that could not be drawn, and why: a line for every reason.
    """

    html: str
    missing: tuple[str, ...] = ()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page into a file, whole or not at all."""
        target = Path(path)
        with replacing(target) as file:
            file.write(self.html.encode())
        return target

    def __repr__(self) -> str:
        return f"<report: {len(self.html.encode()):,} bytes of HTML; save(path) writes them>"


def page(
    facts: Overview,
    draw: Draw,
    exported: FirmwareSize | None = None,
    *,
    quantization: Facts | None = None,
) -> Page:
    """The whole page.

    Args:
        facts: All that is known of the model.
        draw: What draws its charts.
        exported: What it takes without TFLM, where that was looked at.
        quantization: What ``arenite quantize --json`` said of it, where that was kept.
    """
    charts: list[Chart] = []
    parts = list(_sections(facts, charts, quantization))
    name = printable(Path(facts.model.source).name or "(built)")
    drawing = draw([one.spec for one in charts])
    missing = tuple(_missing(charts, drawing))
    script = Html(f"{drawing.script}\n{_resource('page.js')}")
    style = Html(_resource("page.css"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(script, style)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{name}: Arenite's report"),
        tag("style", style),
    )
    body = tag(
        "body",
        tag("a", "To the report", href="#report", class_="skip"),
        _bar(parts),
        tag(
            "main",
            _top(facts, name, exported, missing),
            [_section(*one) for one in parts],
            id="report",
            tabindex=-1,
        ),
        _footer(facts),
        tag("div", "Arrow keys go from one mark to the next.", id="keys", hidden=True),
        tag("div", id="tip", role="status", hidden=True),
        json_block("charts", drawing.charts),
        tag("script", script, type="module"),
    )
    return Page(f"<!doctype html>\n{tag('html', head, body, lang='en')}\n", missing)


def _missing(charts: list[Chart], drawing: Drawing) -> Iterator[str]:
    """A line for every reason: how many charts are missing, their titles, the reason."""
    for reason in dict.fromkeys(drawing.missing.values()):
        titles = [charts[at].title for at, why in drawing.missing.items() if why == reason]
        count = f"{len(titles)} of {len(charts)} charts" if len(charts) > 1 else "1 chart"
        names = "; ".join(map(printable, titles))
        yield f"{count} missing ({names}): {reason}"


def _resource(name: str) -> str:
    return files("arenite.report.page").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str, style: str) -> str:
    """No network, no frames, no other script and no other style than the page's own."""
    hashes = [b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in (script, style)]
    return (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


Section = tuple[str, str, Html]


def _sections(
    facts: Overview, charts: list[Chart], quantization: Facts | None
) -> Iterator[Section]:
    """Those that there is something to say in: short name, title, content."""
    if quantization is not None:
        shown = joined(*quantized(quantization, digest(facts.model), charts))
        yield "Quantised", "From float to integers", shown
    if facts.head is not None:
        yield "Memory", "Memory over time", joined(*sections.memory(facts.head, charts))
    yield "Graph", "Graph", joined(_ports(facts), graph_section(facts))
    if facts.cost is not None and (shown := joined(*sections.costs(facts.cost, charts))):
        yield "Cost", "Cost per layer", shown
    if (commands := estimated(facts.model)) is not None:
        yield "NPU", "NPU and CPU", joined(*sections.npu(commands, charts))
    if facts.explanation is not None:
        yield "Paths", "What runs each layer, and why", joined(*sections.paths(facts.explanation))
    if facts.walked is not None:
        yield "Walk", "A convolution, number by number", joined(*sections.walk(facts))
    if facts.comparisons:
        shown = joined(*(joined(*sections.comparison(c, charts)) for c in facts.comparisons))
        yield "Compare", "Compared", shown


def _section(name: str, title: str, content: Html) -> Html:
    return tag("section", tag("h2", title, id=f"h-{name}"), content, aria_labelledby=f"h-{name}")


def _bar(parts: list[Section]) -> Html:
    links = [tag("a", name, href=f"#h-{name}") for name, _, _ in parts]
    toggle = tag("button", "Dark", id="theme", type="button", hidden=True)
    inside = tag("div", tag("nav", links, aria_label="Sections"), toggle)
    return tag("header", inside, class_="bar")


def _top(
    facts: Overview, name: str, exported: FirmwareSize | None, missing: tuple[str, ...]
) -> Html:
    description = facts.model.description
    undrawn = tag("ul", [tag("li", one) for one in missing], class_="obstacles") if missing else ""
    return joined(
        tag("h1", name),
        tag("p", _device(facts), class_="dim"),
        tag("p", description) if description else "",
        sections.obstacles(facts),
        undrawn,
        fits(facts.fit, exported, (_time(facts) or ("", "", ""))[1]),
        tag("dl", [_card(*one) for one in _figures(facts)], class_="cards"),
        tag("noscript", tag("p", "Charts need JavaScript; the tables have all of their figures.")),
    )


def _device(facts: Overview) -> str:
    board = None if facts.fit is None else facts.fit.board
    named = "" if board is None else printable(f"{board.name} ({board.chip}); ")
    clock = "" if facts.clock is None else f"; {facts.clock:g} MHz"
    return f"{named}{facts.target}{clock}"


def _card(name: str, value: str, more: str) -> Html:
    said = [tag("dd", value, class_="value"), tag("dd", more, class_="more") if more else ""]
    return tag("div", tag("dt", name), said)


def _figures(facts: Overview) -> Iterator[tuple[str, str, str]]:
    if facts.head is not None:
        plans = facts.head.plans
        best = f"{number(plans.optimal_arena)} with the best plan"
        yield "Arena", f"{number(plans.arena)} B", best if plans.optimal_arena < plans.arena else ""
    if (time := _time(facts)) is not None:
        yield time
    stats = facts.statistics
    if stats.file_bytes:
        yield "File", f"{number(stats.file_bytes)} B", f"{size(stats.constant_bytes)} of constants"
    yield "Parameters", number(stats.parameters), ""
    unknown = "" if stats.macs_complete else "of the operators whose MACs are known"
    yield "MACs", number(stats.macs), unknown
    yield "Operators", number(len(stats.operators)), f"{facts.resolver.operators} kinds"


def _time(facts: Overview) -> tuple[str, str, str] | None:
    """The time of an inference as ``arenite fit`` has it; in cycles where there is no clock."""
    if facts.clock is not None:
        need = None if facts.fit is None else facts.fit.need("time")
        return None if need is None else ("Inference", need.amount, need.note)
    cost = facts.cost
    if cost is None or cost.missing:
        return None
    low, high = (cost.cycles * end / 1e6 for end in cost.span[:2])
    return "Inference", f"{low:,.3g} to {high:,.3g} M cycles", "an estimate, with waits for memory"


def _ports(facts: Overview) -> Html:
    headings, rows = ports_rows(facts.model)
    cpp = tag("pre", "\n".join(facts.resolver.lines))
    return joined(table("Inputs and outputs", headings, rows), folded("Resolver (C++)", cpp))


def _footer(facts: Overview) -> Html:
    page_of = tag("code", "arenite report")
    return tag("footer", "Made by ", page_of, ", offline: nothing in this page asks a network.")
