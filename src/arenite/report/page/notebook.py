"""Things as notebooks show them: small tables and pictures that follow the notebook's colours.

Everything is escaped, and nothing runs: there is no script, and no style but widths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch

from arenite.analysis.benchmark import Benchmark
from arenite.analysis.compare import Comparison, Layer
from arenite.analysis.evaluation.result import Evaluation
from arenite.analysis.explanation import Explanation
from arenite.analysis.fit import Fit
from arenite.analysis.model_cost import ModelCost
from arenite.analysis.statistics import statistics
from arenite.memory.arena import SingleArenaBufferAllocator
from arenite.memory.plan import MemoryPlan
from arenite.memory.recording import Allocations
from arenite.model import Model
from arenite.model.text import printable
from arenite.optimize.outcome import Report
from arenite.quantize.outcome import Report as Quantized
from arenite.report.compare import decibels, verdict
from arenite.report.fit import amount_or
from arenite.report.memory_svg import memory_svg
from arenite.report.model import operator_rows
from arenite.report.page.html import Html, joined, tag
from arenite.report.page.terminal import paragraphs
from arenite.report.text import number, size

#: Rows of a table, and buffers of a picture.
_ROWS, _BUFFERS = 40, 300
_ENDLESS = 10_000


@singledispatch
def html(thing: object) -> str:
    """A thing as HTML.

    Raises:
        TypeError: Nobody has said how it looks.
    """
    raise TypeError(f"expected something that a notebook can show, got {type(thing).__name__}")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    """The first rows, and how many more there are."""
    head = tag("tr", [tag("th", one) for one in headings])
    body = [tag("tr", [tag("td", printable(cell)) for cell in row]) for row in rows[:_ROWS]]
    left_out = len(rows) - _ROWS
    more = tag("p", f"{number(left_out)} more rows") if left_out > 0 else ""
    return joined(tag("table", tag("thead", head), tag("tbody", body)), more)


def _titled(title: str, *inside: Html | str) -> Html:
    return tag("div", tag("p", tag("b", printable(title))), *inside)


@html.register
def _(model: Model) -> str:
    stats = statistics(model)
    facts = [f"{number(stats.parameters)} parameters", f"{number(stats.macs)} MACs"]
    facts += [size(stats.file_bytes)] if stats.file_bytes else []
    parts: list[Html] = []
    for index, subgraph in enumerate(model.subgraphs):
        if len(model.subgraphs) > 1:
            parts.append(tag("p", f"Subgraph {index} {printable(subgraph.name)}"))
        mine = [one for one in stats.operators if one.subgraph == index]
        parts.append(_table(*operator_rows(subgraph, mine)))
    return _titled(model.source or "(built)", tag("p", ", ".join(facts)), *parts)


@html.register
def _(plan: MemoryPlan) -> str:
    title = (
        f"{len(plan.buffers)} buffers, {number(plan.head)} bytes of head, {plan.planner} planner"
    )
    buffers = [one for one in plan.buffers if one.kind != "variable" and one.end > one.begin]
    if not buffers:
        return _titled(title)
    largest = sorted(range(len(buffers)), key=lambda i: -buffers[i].size)[:_BUFFERS]
    shown = [buffers[i] for i in sorted(largest)]
    left_out = len(buffers) - len(shown)
    more = f"{number(left_out)} smaller buffers are not drawn" if left_out else ""
    picture = Html(memory_svg(shown, title))
    return tag("div", picture, tag("p", more) if more else "", style="overflow-x:auto")


@html.register
def _(arena: SingleArenaBufferAllocator) -> str:
    regions = {"head": arena.head_used, "tail": arena.tail_used}
    if not arena.is_endless:
        regions["free"] = arena.size - arena.head_used - arena.tail_used
    total = 0 if arena.is_endless else arena.size
    rows = [(name, number(count), _meter(count, total)) for name, count in regions.items()]
    title = f"Arena of {size(total)}" if total else "Arena without end"
    cells = [tag("tr", tag("th", name), tag("td", n), tag("td", bar)) for name, n, bar in rows]
    return _titled(title, tag("table", tag("tbody", cells)))


def _meter(count: int, total: int) -> Html:
    if not total:
        return Html()
    return tag("meter", f"{count / total:.0%}", value=count, max=total, style="width:16em")


@html.register
def _(allocations: Allocations) -> str:
    title = (
        f"{number(allocations.total)} bytes: head {number(allocations.head)}, "
        f"tail {number(allocations.tail)}"
    )
    rows = [
        (one.name, number(one.used_bytes), number(one.requested_bytes), number(one.count))
        for one in allocations.categories
    ]
    return _titled(title, _table(("tail", "bytes", "requested", "count"), rows))


@html.register
def _(found: Comparison) -> str:
    title = f"{found.first} and {found.second}, {found.runs} inferences"
    different = [one for one in found.layers if one.different]
    headings = ("#", "operator", "tensor", "different", "of", "steps", "SQNR, dB")
    table = _table(headings, [_layer(one) for one in different]) if different else ""
    return _titled(title, paragraphs(verdict(found, _ENDLESS)), table)


def _layer(one: Layer) -> tuple[str, ...]:
    counts = number(one.different), number(one.elements)
    steps = "" if one.steps is None else str(one.steps)
    return str(one.operator), one.name, one.tensor_name, *counts, steps, decibels(one.sqnr)


@html.register
def _(found: Fit) -> str:
    rows = [
        (
            one.name,
            one.amount,
            *(amount_or(n, one.unit) for n in (one.limit, one.left)),
            one.verdict,
        )
        for one in found.needs
    ]
    headings = ("", "needs", "limit", "left", "")
    title = f"{found.file or '(built)'}: {found.outcome}"
    return _titled(title, tag("p", str(found.target)), _table(headings, rows))


@html.register
def _(what: Explanation) -> str:
    rows = [
        (one.place, one.view.name, one.function, "?" if one.macs is None else number(one.macs))
        for one in what.operators
    ]
    table = _table(("#", "operator", "function", "MACs"), rows)
    return _titled(what.file or "(built)", tag("p", str(what.target)), table)


@html.register
def _(found: Evaluation) -> str:
    names = list(dict.fromkeys(name for one in found.scores for name in one.metrics))
    rows = [
        (one.label, *(f"{one.metrics.get(name, math.nan):.6g}" for name in names))
        for one in found.scores
    ]
    return _titled(f"{found.data}: {number(found.samples)} samples", _table(("", *names), rows))


@html.register
def _(found: Benchmark) -> str:
    rows = [
        (one.name, *(f"{spread.median * 1e6:,.3g}" for spread in (one.load, one.inference)))
        for one in found.engines
    ]
    headings = ("engine", "load, us", "inference, us")
    return _titled(found.file, _table(headings, rows))


@html.register
def _(cost: ModelCost) -> str:
    rows = [
        (
            str(one.index),
            one.view.name,
            one.function,
            "?" if estimate is None else number(estimate.cycles),
            "?" if estimate is None else f"{cost.share(estimate):.1%}",
        )
        for one, estimate in zip(cost.operators, cost.costs, strict=True)
    ]
    title = f"{number(cost.cycles)} cycles"
    if cost.clock is not None:
        title += f", {cost.time().amount} at {cost.clock:g} MHz"
    table = _table(("#", "operator", "function", "cycles", "share"), rows)
    return _titled(title, tag("p", str(cost.target)), table)


@html.register
def _(report: Report) -> str:
    rows = [(one.name, str(note)) for one in report.steps for note in one.changes]
    title = f"{report.original.source or '(built)'}: {number(len(rows))} changes"
    return _titled(title, _table(("pass", "change"), rows))


@html.register
def _(report: Quantized) -> str:
    rows = [
        (str(one.position), one.name, f"{one.sqnr:.1f} dB", one.tensor) for one in report.layers
    ]
    title = (
        f"{report.original.source or '(built)'}: {report.sqnr:.1f} dB, arena "
        f"{number(report.before.arena)} to {number(report.after.arena)} bytes"
    )
    return _titled(title, _table(("", "operator", "SQNR", "tensor"), rows))
