"""Charts as Vega-Lite specifications: facts in, plain dictionaries out.

Colours are the page's variables, so that a chart is dark where the page is. A chart's marks with
facts are named ``facts``; every datum of theirs has a ``tip`` for the pointer and a ``label`` for
who listens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arenite.analysis.compare import Comparison
from arenite.analysis.head_plans import PlacedHead, PlannedHead
from arenite.analysis.model_cost import ModelCost
from arenite.analysis.vela_report import VelaReport, shares
from arenite.memory.liveness import Moment
from arenite.memory.plan import PlannedBuffer
from arenite.model.text import printable
from arenite.report.compare import decibels
from arenite.report.memory_map import buffer_name
from arenite.report.page.html import shortened, tip
from arenite.report.page.moments import alive_text, moment_text
from arenite.report.text import number

Spec = dict[str, Any]

#: What is drawn of large models: the largest of them.
MOST_BUFFERS, MOST_MOMENTS, MOST_BARS = 200, 300, 60
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_COLORS = 8
_RANGE = 60.0  # dB, from no error that shows to one as large as the signal
#: Named, because Vega measures texts before it draws them; the page's own style says the same.
_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
_AXIS = {
    "domainColor": "var(--line)",
    "gridColor": "var(--line)",
    "tickColor": "var(--line)",
    "labelColor": "var(--dim)",
    "titleColor": "var(--dim)",
    "titleFontWeight": "normal",
    "labelFontSize": 11,
    "titleFontSize": 11,
}


@dataclass(frozen=True)
class Chart:
    """A specification, what it shows, and how many facts are not in it."""

    title: str
    spec: Spec
    left_out: int = 0


def _chart(title: str, height: int, layers: list[Spec], left_out: int = 0) -> Chart:
    spec = {
        "$schema": _SCHEMA,
        "description": printable(title),
        "width": "container",
        "height": height,
        "background": None,
        "layer": layers,
        "config": {"view": {"stroke": None}, "axis": _AXIS, "font": _FONT},
    }
    return Chart(title, spec, left_out)


def _facts(values: list[Spec], mark: Spec, encoding: Spec) -> Spec:
    told = {"description": {"field": "label"}, "tooltip": {"field": "tip"}}
    return {
        "name": "facts",
        "data": {"values": values},
        "mark": mark,
        "encoding": {**encoding, **told},
    }


def _line(at: float, words: str, axis: Spec) -> list[Spec]:
    """A dashed line across, with its name above its end."""
    data = {"values": [{"at": at}]}
    y = {**axis, "field": "at"}
    rule = {"type": "rule", "color": "var(--peak)", "strokeDash": [5, 3], "strokeWidth": 1.5}
    text = {
        "type": "text",
        "text": words,
        "align": "right",
        "x": {"expr": "width"},
        "dy": -7,
        "fontSize": 11,
        "fontWeight": "bold",
        "color": "var(--peak)",
    }
    return [
        {"data": data, "mark": {**mark, "aria": False}, "encoding": {"y": y}}
        for mark in (rule, text)
    ]


# -- memory ---------------------------------------------------------------------------


def memory_charts(head: PlannedHead) -> list[Chart]:
    """A chart per height of plans, and one of what is alive; all have the same scales."""
    bytes_ = max([one.height for one in head.placed] + [head.plans.lower_bound, 1])
    scales = _scales(bytes_ * 1.08, head.moments)
    plans = [_plan(head, equal, scales) for equal in head.by_height]
    return [*plans, _alive(head, scales)]


def _scales(top: float, moments: Sequence[Moment]) -> Spec:
    """Moments to the right, each from its number to the next; bytes upwards."""
    axis = {"title": "moment", "grid": False, "tickMinStep": 1, "labelAlign": "left"}
    if all(one.subgraph == 0 for one in moments):
        # Moment 0 is the beginning; from 1 on operators run, one at each.
        label = "datum.value < 1 ? 'in' : format(datum.value - 1, 'd')"
        axis |= {"title": "operator", "labelExpr": label}
    return {
        "x": {
            "type": "quantitative",
            "scale": {"domain": [0, len(moments)], "nice": False},
            "axis": {**axis, "labelFlush": False},
        },
        "y": {
            "type": "quantitative",
            "scale": {"domain": [0, top], "nice": False},
            "axis": {"title": "bytes", "format": "~s", "tickCount": 5},
        },
    }


def _peaks(head: PlannedHead, scales: Spec) -> Spec:
    return {
        "data": {"values": [{"begin": one, "end": one + 1} for one in head.peak]},
        "mark": {"type": "rect", "color": "var(--peak)", "opacity": 0.16},
        "encoding": {"x": {**scales["x"], "field": "begin"}, "x2": {"field": "end"}},
    }


def _plan(head: PlannedHead, equal: Sequence[PlacedHead], scales: Spec) -> Chart:
    """Plans of one height: the first of them is drawn."""
    plan = equal[0]
    numbered = list(enumerate(plan.buffers))
    shown = sorted(numbered, key=lambda one: -_area(one[1]))[:MOST_BUFFERS]
    values = [_buffer(head, place, buffer) for place, buffer in sorted(shown)]
    place = {
        "x": {**scales["x"], "field": "begin"},
        "x2": {"field": "end"},
        "y": {**scales["y"], "field": "offset"},
        "y2": {"field": "top"},
    }
    mark = {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 1}
    rectangles = _facts(values, mark, {**place, "color": {"field": "color", "scale": None}})
    room = plan.height / 14, len(head.moments) / 18
    named = [one for one in values if _has_room(one, *room)]
    numbers = {
        "data": {"values": named},
        "mark": {"type": "text", "fontSize": 11, "color": "var(--ink)", "aria": False},
        "encoding": {
            "x": {**scales["x"], "field": "middle"},
            "y": {**scales["y"], "field": "center"},
            "text": {"field": "number"},
        },
    }
    line = _line(plan.height, f"{number(plan.height)} bytes", scales["y"])
    names = " and ".join(_TITLES[one.name] for one in equal)
    title = f"{names[0].upper()}{names[1:]}: {number(plan.height)} bytes"
    layers = [_peaks(head, scales), rectangles, numbers, *line]
    return _chart(title, 240, layers, len(numbered) - len(shown))


_TITLES = {
    "the file's own": "the file's own plan",
    "greedy": "TFLM's greedy plan",
    "best": "the best plan found",
}


def _has_room(value: Spec, height: float, width: float) -> bool:
    is_tall = value["top"] - value["offset"] >= height
    return bool(is_tall and value["end"] - value["begin"] >= width)


def _area(buffer: PlannedBuffer) -> int:
    return buffer.size * (buffer.end - max(buffer.begin, 0))


def _buffer(head: PlannedHead, place: int, buffer: PlannedBuffer) -> Spec:
    begin, top = max(buffer.begin, 0), buffer.offset + buffer.size
    rows = {
        "buffer": f"{place} {shortened(buffer_name(buffer), 80)}",
        "kind": buffer.kind,
        "bytes": number(buffer.size),
        "offset": number(buffer.offset),
        "alive": alive_text(head.moments, buffer),
    }
    return {
        "begin": begin,
        "end": buffer.end,
        "offset": buffer.offset,
        "top": top,
        "middle": (begin + buffer.end) / 2,
        "center": (buffer.offset + top) / 2,
        "number": str(place),
        "color": f"var(--c{place % _COLORS})",
        "label": ", ".join(
            [rows["buffer"], f"{rows['bytes']} bytes at {rows['offset']}", rows["alive"]]
        ),
        "tip": tip(rows),
    }


def _alive(head: PlannedHead, scales: Spec) -> Chart:
    """Bytes that are needed at every moment, whatever the plan."""
    values = []
    peak = set(head.peak)
    for moment, count in enumerate(head.alive):
        rows = {"moment": moment_text(head.moments, moment), "bytes alive": number(count)}
        rows |= {"peak": "most is alive here"} if moment in peak else {}
        values.append(
            {
                "begin": moment,
                "end": moment + 1,
                "bytes": count,
                "color": "var(--peak)" if moment in peak else "var(--c0)",
                "label": f"{rows['moment']}: {rows['bytes alive']} bytes alive",
                "tip": tip(rows),
            }
        )
    bars = _facts(
        _largest(values, "bytes", MOST_MOMENTS),
        {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 0.5},
        {
            "x": {**scales["x"], "field": "begin"},
            "x2": {"field": "end"},
            "y": {**scales["y"], "field": "bytes"},
            "y2": {"datum": 0},
            "color": {"field": "color", "scale": None},
        },
    )
    bound = head.plans.lower_bound
    line = _line(bound, f"{number(bound)} bytes", scales["y"])
    title = f"The lower bound: {number(bound)} bytes"
    return _chart(title, 240, [bars, *line], max(len(values) - MOST_MOMENTS, 0))


def _largest(values: list[Spec], key: str, most: int) -> list[Spec]:
    """The ``most`` largest, in their order."""
    kept = sorted(range(len(values)), key=lambda i: -values[i][key])[:most]
    return [values[i] for i in sorted(kept)]


# -- costs ----------------------------------------------------------------------------


def _time(cost: ModelCost, index: int) -> str:
    ms = cost.milliseconds(index)
    return "" if ms is None else f"{ms:.3g} ms, "


def cost_chart(cost: ModelCost) -> Chart:
    """Cycles per operator, the dearest of them where there are many."""
    values = []
    for operator, one in zip(cost.operators, cost.costs, strict=True):
        if one is None:
            continue
        name = f"{operator.index} {printable(operator.view.name)}"
        rows = {
            "operator": name,
            "function": operator.function,
            "MACs": "?" if operator.macs is None else number(operator.macs),
            "instructions": number(one.instructions),
            "cycles": number(one.cycles),
            "time": _time(cost, operator.index) + f"{cost.share(one):.1%}",
        }
        values.append(
            {
                "operator": name,
                "cycles": one.cycles,
                "label": f"{name}: {rows['cycles']} cycles, {rows['time']}",
                "tip": tip(rows),
            }
        )
    return _cycle_bars("Cycles per operator", values, "var(--c0)")


def npu_chart(report: VelaReport) -> Chart:
    """Cycles per command of the NPU, as Vela estimates them."""
    values = []
    for one, share in zip(report.layers, shares(report), strict=True):
        if one.target != "NPU":
            continue
        place, _, what = one.name.partition(": ")
        name = f"{place} {one.operator}"
        rows = {"command": name, "output": what, "MACs": number(round(one.macs))}
        rows |= {"cycles": number(round(one.cycles)), "share": f"{share:.1%}"}
        label = f"{name}: {rows['cycles']} cycles, {rows['share']}"
        values.append({"operator": name, "cycles": one.cycles, "label": label, "tip": tip(rows)})
    return _cycle_bars("Cycles per command of the NPU, Vela's estimate", values, "var(--c2)")


def _cycle_bars(title: str, values: list[Spec], color: str) -> Chart:
    shown = _largest(values, "cycles", MOST_BARS)
    bars = _facts(
        shown,
        {"type": "bar", "color": color, "cornerRadiusEnd": 2},
        {
            "x": {
                "field": "cycles",
                "type": "quantitative",
                "axis": {"format": "~s", "title": "cycles", "tickCount": 5},
            },
            "y": {
                "field": "operator",
                "type": "nominal",
                "sort": None,
                "axis": {"title": None, "labelLimit": 150, "ticks": False, "domain": False},
            },
        },
    )
    return _chart(title, 20 * len(shown), [bars], len(values) - len(shown))


# -- comparisons ----------------------------------------------------------------------


def error_chart(found: Comparison) -> Chart:
    """Error against depth: a column per operator, taller for a larger error."""
    values = []
    for place, one in enumerate(found.layers):
        rows = {
            "operator": f"{one.operator} {one.name}",
            "tensor": one.tensor_name,
            "different": f"{number(one.different)} of {number(one.elements)}",
            "SQNR": decibels(one.sqnr) + (" dB" if abs(one.sqnr) < float("inf") else ""),
            "cosine": f"{one.cosine:.6f}",
            "largest difference": f"{one.error:.4g}"
            + ("" if one.steps is None else f", {one.steps} steps"),
        }
        values.append(
            {
                "begin": place,
                "end": place + 1,
                "error": min(max(_RANGE - one.sqnr, 0.0), _RANGE),
                "color": "var(--bad)" if one.is_origin else "var(--c1)",
                "label": f"{printable(rows['operator'])}: {rows['different']} different",
                "tip": tip(rows),
            }
        )
    columns = _facts(
        _largest(values, "error", MOST_MOMENTS),
        {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 1},
        {
            "x": {
                "field": "begin",
                "type": "quantitative",
                "scale": {"domain": [0, max(len(values), 1)], "nice": False},
                "axis": {
                    "title": "compared tensor",
                    "grid": False,
                    "tickMinStep": 1,
                    "labelAlign": "left",
                    "labelFlush": False,
                },
            },
            "x2": {"field": "end"},
            "y": {
                "field": "error",
                "type": "quantitative",
                "scale": {"domain": [0, _RANGE], "nice": False},
                "axis": {
                    "title": "signal to error, dB",
                    "values": [0, 20, 40, 60],
                    "labelExpr": f"format({_RANGE:g} - datum.value, 'd')",
                },
            },
            "y2": {"datum": 0},
            "color": {"field": "color", "scale": None},
        },
    )
    return _chart("Error by operator", 220, [columns], max(len(values) - MOST_MOMENTS, 0))


# -- what other sections draw ---------------------------------------------------------


def chart_of(
    title: str,
    height: int,
    values: list[Spec],
    mark: Spec,
    encoding: Spec,
    *,
    behind: Sequence[Spec] = (),
    left_out: int = 0,
) -> Chart:
    """A chart of facts: a mark for every value, and layers ``behind`` the marks."""
    return _chart(title, height, [*behind, _facts(values, mark, encoding)], left_out)
