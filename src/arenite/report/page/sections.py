"""The sections of a report's page, but for its graph: facts of an overview as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from arenite.analysis.compare import Comparison
from arenite.analysis.device import DeviceOperator
from arenite.analysis.explanation import Explanation
from arenite.analysis.head_plans import PlannedHead
from arenite.analysis.model_cost import ModelCost
from arenite.analysis.overview import Overview
from arenite.analysis.vela_report import VelaReport, shares
from arenite.model.text import printable
from arenite.report.compare import decibels, verdict
from arenite.report.cost import whole_time
from arenite.report.explain import UNICODE, groups_of, places_text, why
from arenite.report.memory import moment_text as peak_text
from arenite.report.memory import plan_rows
from arenite.report.memory_map import buffer_name
from arenite.report.page.charts import (
    Chart,
    cost_chart,
    error_chart,
    memory_charts,
    npu_chart,
)
from arenite.report.page.html import Html, folded, joined, table, tag
from arenite.report.page.moments import alive_text
from arenite.report.page.terminal import block, paragraphs
from arenite.report.text import number, size
from arenite.report.vela_report import source_text
from arenite.report.walk import render_operator

#: Rows of a table, and cells of a line on a wide page and on a phone.
MOST_ROWS = 250
_WIDE, _NARROW, _ENDLESS = 92, 40, 10_000
#: A chart with what it is called by.
Charts = list[Chart]


def drawn(chart: Chart, charts: Charts) -> Html:
    """The place of a chart, which the page's script fills."""
    charts.append(chart)
    name = f"chart-{len(charts)}"
    note = f"{number(chart.left_out)} smaller ones are not drawn. " if chart.left_out else ""
    place = tag(
        "div",
        class_="chart",
        id=name,
        tabindex=0,
        role="group",
        aria_label=printable(chart.title),
        aria_describedby="keys",
        data_chart=len(charts) - 1,
    )
    caption = tag("figcaption", tag("b", printable(chart.title)))
    return tag("figure", caption, place, tag("p", note, class_="note") if note else "")


def limited(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[int],
) -> Html:
    """A table of as many rows as a page has, and a line on what is left out."""
    left_out = len(rows) - MOST_ROWS
    words = f"{number(left_out)} more rows are left out."
    note = tag("p", words, class_="note") if left_out > 0 else ""
    return joined(table(title, headings, rows[:MOST_ROWS], numbers=numbers), note)


# -- obstacles ------------------------------------------------------------------------


def obstacles(facts: Overview) -> Html:
    """Obstacles, and what each is in the way of."""
    items = [
        tag("li", tag("b", ", ".join(map(printable, one.about))), ": ", one.reason)
        for one in facts.obstacles
    ]
    return tag("ul", items, class_="obstacles") if items else Html()


# -- memory ---------------------------------------------------------------------------


def memory(head: PlannedHead, charts: Charts) -> Iterator[Html]:
    """The arena's regions, plans side by side, buffers and tail as tables."""
    use, plans = head.use, head.plans
    peak = peak_text(use.allocations.peak)
    yield tag(
        "p",
        f"The smallest arena that works: {size(use.smallest)}, set by {peak}. ",
        f"Its head of {number(use.plan.head)} bytes holds the tensors of an inference; its tail "
        f"of {number(use.allocations.tail)} bytes what lives as long as the interpreter.",
    )
    if plans.optimal_arena < plans.arena:
        words = f"{number(plans.optimal_arena)} instead of {number(plans.arena)} bytes"
        optimize = tag("code", "arenite optimize --only plan")
        yield tag("p", optimize, f" writes the best plan into the model: an arena of {words}.")
    yield tag("div", [drawn(one, charts) for one in memory_charts(head)], class_="side")
    yield tag(
        "p",
        "Offset in bytes against operators; a number is a buffer's in the table below. The band "
        "marks where most is alive.",
        class_="note",
    )
    yield folded("Plans of the head", _plans(head))
    yield folded(f"Buffers, {len(use.head_buffers)}", _buffers(head))
    yield folded("The tail, by category", _tail(head))


def _plans(head: PlannedHead) -> Html:
    rows = [(name, number(count), meaning) for name, count, meaning in plan_rows(head.plans)]
    return table("Plans of the head", ("plan", "bytes", ""), rows, numbers=[1])


def _buffers(head: PlannedHead) -> Html:
    plan, is_better = head.placed[0], head.placed[-1].height < head.placed[0].height
    best = {(b.kind, b.subgraph, b.index): b.offset for b in head.placed[-1].buffers}
    rows = [
        (
            str(place),
            buffer_name(b),
            b.kind,
            number(b.size),
            number(b.offset),
            *([number(best[b.kind, b.subgraph, b.index])] if is_better else []),
            alive_text(head.moments, b),
        )
        for place, b in enumerate(plan.buffers)
    ]
    offsets = [f"offset, {plan.name}", "offset, best"] if is_better else ["offset"]
    headings = ("#", "buffer", "kind", "bytes", *offsets, "alive")
    numbers = [0, 3, 4, *([5] if is_better else [])]
    return limited("Buffers of the head", headings, rows, numbers)


def _tail(head: PlannedHead) -> Html:
    rows = [
        (one.name, number(one.used_bytes), number(one.count))
        for one in head.use.allocations.categories
    ]
    return table("The tail", ("category", "bytes", "count"), rows, numbers=[1, 2])


# -- costs ----------------------------------------------------------------------------


def costs(cost: ModelCost, charts: Charts) -> Iterator[Html]:
    """The total, a bar per operator, all as a table."""
    known = len(cost.operators) - len(cost.missing)
    if not known:
        return
    yield tag(
        "p",
        f"An inference computes for about {number(cost.cycles)} cycles, without waits for memory. "
        f"{whole_time(cost)}",
    )
    yield drawn(cost_chart(cost), charts)
    ms = () if cost.clock is None else ("ms",)
    headings = ("#", "operator", "MACs", "instructions", "cycles", *ms, "share")
    rows = [
        (
            one.place,
            printable(one.view.name),
            "?" if one.macs is None else number(one.macs),
            *(
                ("?",) * (len(headings) - 3)
                if estimate is None
                else (
                    number(estimate.instructions),
                    number(estimate.cycles),
                    *(() if cost.clock is None else (f"{cost.milliseconds(one.index):,.3f}",)),
                    f"{cost.share(estimate):.1%}",
                )
            ),
        )
        for one, estimate in zip(cost.operators, cost.costs, strict=True)
    ]
    numbers = [0, *range(2, len(headings))]
    yield folded("Costs as a table", limited("Costs", headings, rows, numbers))


def npu(report: VelaReport, charts: Charts) -> Iterator[Html]:
    """The NPU's cycles, command by command, and the operators that stayed on the CPU."""
    rest = [one.operator for one in report.layers if one.target == "CPU"]
    names = ", ".join(f"{count}x {name}" for name, count in Counter(rest).items())
    yield tag(
        "p",
        f"The NPU takes about {number(round(report.cycles))} of its cycles for an inference. "
        f"On the CPU: {printable(names) or 'nothing'}. {source_text(report)}",
    )
    yield drawn(npu_chart(report), charts)
    rows = [
        (
            one.target,
            printable(one.operator),
            printable(one.name),
            number(round(one.macs)) if one.macs else "",
            number(round(one.cycles)) if one.cycles else "",
            f"{share:.1%}" if one.cycles else "",
        )
        for one, share in zip(report.layers, shares(report), strict=True)
    ]
    headings = ("on", "what", "output", "MACs", "cycles", "share")
    yield folded("NPU and CPU as a table", limited("NPU", headings, rows, [3, 4, 5]))


# -- paths ----------------------------------------------------------------------------


def paths(what: Explanation) -> Iterator[Html]:
    """A row per operator, and for every path what decided."""
    rows = [
        (
            one.place,
            printable(one.view.name),
            one.function,
            number(sum(request.size for request in one.scratch)) if one.scratch else "",
            ", ".join(f"{name} {number(n)}" for name, n in what.instructions(one).most_common(3)),
        )
        for one in what.operators
    ]
    headings = ("#", "operator", "function", "scratch, bytes", "mostly runs")
    yield limited("Paths", headings, rows, [0, 3])
    yield tag("h3", "Why")
    for group in groups_of(what.operators):
        yield _group(what, group)


def _group(what: Explanation, group: Sequence[DeviceOperator]) -> Html:
    name = printable(group[0].view.name)
    summary = joined(tag("b", f"{name} {places_text(group)}"), ": ", group[0].function)
    return folded(summary, block(why(what, group, _ENDLESS, UNICODE), "wraps"))


def walk(facts: Overview) -> Iterator[Html]:
    """An int8 convolution's first output value, number by number."""
    if facts.walked is None or facts.explanation is None:
        return
    place = facts.explanation.operators.index(facts.walked.operator)
    yield tag(
        "p",
        f"The first output value of operator {facts.walked.operator.index}, with random inputs, on "
        "its way through CMSIS-NN.",
    )
    for width, name in ((_WIDE, "wide"), (_NARROW, "narrow")):
        lines = render_operator(facts.explanation, place, facts.walked.walk, width, UNICODE)
        yield block(list(lines)[2:], name)


# -- comparisons ----------------------------------------------------------------------


def comparison(found: Comparison, charts: Charts) -> Iterator[Html]:
    """Error against depth, what differs first, all as a table."""
    title = f"{printable(found.first)} and {printable(found.second)}, {found.runs} inferences"
    yield tag("h3", title)
    yield paragraphs(verdict(found, _ENDLESS))
    if not found.equal:
        yield drawn(error_chart(found), charts)
    rows = [
        (
            str(one.operator),
            printable(one.name),
            printable(one.tensor_name),
            one.paired,
            number(one.different),
            number(one.elements),
            "" if one.steps is None else str(one.steps),
            decibels(one.sqnr),
            f"{one.cosine:.5f}",
        )
        for one in found.layers
    ]
    headings = ("#", "operator", "tensor", "by", "different", "of", "steps", "SQNR, dB", "cosine")
    inside = limited("Tensors compared", headings, rows, [0, 4, 5, 6, 7, 8])
    yield folded("Tensors as a table", inside)
    if found.missing:
        count = number(len(found.missing))
        yield tag("p", f"{count} tensors have no counterpart.", class_="note")
