"""The section of a page on a quantisation: how near the float model is, and where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arenite.model.text import printable
from arenite.report.page.charts import MOST_BARS, Chart, Spec, chart_of
from arenite.report.page.html import Html, folded, joined, shortened, table, tag, tip
from arenite.report.page.sections import drawn, limited
from arenite.report.quantize import changed_text, decibels
from arenite.report.text import number

#: What ``arenite quantize --json`` prints, see ``docs/cli.md``.
Facts = Mapping[str, Any]
#: Histograms that are drawn: of the tensors behind which most is lost.
_HISTOGRAMS = 12


def quantized(facts: Facts, digest: str, charts: list[Chart]) -> Iterator[Html]:
    """All that a quantisation's report says of the page's model, whose file has a digest."""
    if facts["sha256"] != digest:
        yield tag("p", "This report is of another file than this page: figures may differ.")
    target = facts["target"] or "TFLM's package"
    yield tag(
        "p",
        f"{facts['activations']} for {target}, made of {facts['file'] or '(built)'}. "
        f"SQNR of the outputs: {decibels(facts['sqnr_db'])}. Ranges are those of "
        f"{number(facts['samples'])} samples; {number(facts['judged'])} judged.",
    )
    yield _figures(facts)
    yield joined([tag("p", f"Note: {one}", class_="note") for one in facts["notes"]])
    yield from _layers(facts, charts)
    yield _floating(facts)
    yield from _ranges(facts, charts)
    yield _steps(facts)
    if facts["front"]:
        yield from _front(facts, charts)


def _figures(facts: Facts) -> Html:
    both = (("float", facts["before"], 0), ("quantised", facts["after"], 1))
    names = ("arena", "flash", "cycles", "operators")
    scores = [name for name, values in facts["scores"].items() if len(values) == 2]
    rows = [
        [name, *(_counted(figures[one]) for one in names)]
        + [_score(facts["scores"][one][place]) for one in scores]
        for name, figures, place in both
    ]
    columns = range(1, 1 + len(names) + len(scores))
    return table("Float and quantised", ("", *names, *scores), rows, numbers=list(columns))


def _counted(value: float | None) -> str:
    return "-" if value is None else number(round(value))


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


# -- layers ---------------------------------------------------------------------------


def _layers(facts: Facts, charts: list[Chart]) -> Iterator[Html]:
    layers = facts["layers"]
    if not layers:
        return
    yield tag("h3", "Where it is lost")
    yield drawn(_layer_chart(layers), charts)
    rows = [
        (
            number(one["position"]),
            one["name"],
            decibels(one["sqnr"]),
            f"{one['lost_db']:.1f}",
            shortened(one["tensor"]),
        )
        for one in layers
    ]
    title, headings = "SQNR of every layer", ("#", "operator", "SQNR", "dB lost here", "tensor")
    yield folded(title, limited(title, headings, rows, [0, 2, 3]))


def _most_lost(layers: Sequence[Facts], most: int) -> list[Facts]:
    """The layers where most is lost, in the order in which they run."""
    kept = sorted(range(len(layers)), key=lambda n: -layers[n]["lost_db"])[:most]
    return [layers[n] for n in sorted(kept)]


def _layer_chart(layers: Sequence[Facts]) -> Chart:
    shown = _most_lost(layers, MOST_BARS)
    worst = max(one["lost_db"] for one in shown)
    values = []
    for one in shown:
        name = f"{one['position']} {printable(one['name'])}"
        lost = f"{one['lost_db']:.1f} dB"
        rows = {"operator": name, "SQNR": decibels(one["sqnr"]), "lost here": lost}
        values.append(
            {
                "operator": name,
                "sqnr": one["sqnr"],
                "color": "var(--bad)" if 0 < one["lost_db"] == worst else "var(--c0)",
                "label": f"{name}: {rows['SQNR']}, {lost} lost here",
                "tip": tip({**rows, "tensor": one["tensor"]}),
            }
        )
    axis = {"title": None, "labelLimit": 150, "ticks": False, "domain": False}
    encoding = {
        "x": {"field": "sqnr", "type": "quantitative", "axis": {"title": "SQNR, dB"}},
        "y": {"field": "operator", "type": "nominal", "sort": None, "axis": axis},
        "color": {"field": "color", "scale": None},
    }
    title = "SQNR of every layer's output; red is where most is lost"
    mark = {"type": "bar", "cornerRadiusEnd": 2}
    left_out = len(layers) - len(shown)
    return chart_of(title, 20 * len(shown), values, mark, encoding, left_out=left_out)


def _floating(facts: Facts) -> Html:
    rows = [
        (number(one["position"]), one["name"], shortened(one["tensor"]), one["reason"])
        for one in facts["floating"]
    ]
    if not rows:
        return tag("p", "Nothing stays float.")
    made = limited("What stays float", ("#", "operator", "tensor", "why"), rows, [0])
    return joined(tag("h3", "What stays float, and why"), made)


# -- ranges ---------------------------------------------------------------------------


def _ranges(facts: Facts, charts: list[Chart]) -> Iterator[Html]:
    ranges = facts["ranges"]
    if not ranges:
        return
    lost = {one["tensor"]: one["lost_db"] for one in facts["layers"]}
    order = sorted(range(len(ranges)), key=lambda n: -lost.get(ranges[n]["tensor"], 0.0))
    yield tag("h3", "Ranges")
    yield tag(
        "p",
        "How often values were seen, on a scale of logarithms. Between the lines lie the values "
        "that integers stand for; what is outside becomes the nearest of them.",
    )
    picked = [ranges[n] for n in sorted(order[:_HISTOGRAMS]) if ranges[n]["histogram"]["counts"]]
    yield tag("div", [drawn(_histogram(one), charts) for one in picked], class_="side")
    rows = [
        (
            shortened(one["tensor"]),
            *(f"{one[end]:.4g}" for end in ("least", "largest", "low", "high")),
            number(one["values"]),
        )
        for one in ranges
    ]
    headings = ("tensor", "least seen", "largest seen", "lowest integer", "highest", "values")
    made = limited("Ranges of all tensors", headings, rows, [1, 2, 3, 4, 5])
    yield folded("Ranges of all tensors", made)


def _histogram(one: Facts) -> Chart:
    histogram = one["histogram"]
    begin, counts = histogram["begin"], histogram["counts"]
    width = (histogram["end"] - begin) / len(counts)
    total = max(1, sum(counts))
    values = []
    for place, count in enumerate(counts):
        if not count:
            continue
        low, high = begin + place * width, begin + (place + 1) * width
        rows = {"from": f"{low:.4g}", "to": f"{high:.4g}", "values": number(count)}
        share = f"{count / total:.3%}"
        values.append(
            {
                "low": low,
                "high": high,
                "count": count,
                "label": f"{rows['from']} to {rows['to']}: {rows['values']} values, {share}",
                "tip": tip({**rows, "share": share}),
            }
        )
    x = {"type": "quantitative", "axis": {"title": None, "grid": False, "tickCount": 5}}
    log = {"type": "symlog"}
    axis = {"title": "values", "tickCount": 4, "format": "~s"}
    encoding = {
        "x": {**x, "field": "low"},
        "x2": {"field": "high"},
        "y": {"field": "count", "type": "quantitative", "scale": log, "axis": axis},
        "y2": {"datum": 0},
    }
    mark = {"type": "rect", "color": "var(--c0)"}
    ends = _lines("x", [one["low"], one["high"]])
    return chart_of(shortened(one["tensor"], 48), 120, values, mark, encoding, behind=[ends])


def _lines(channel: str, places: Sequence[float]) -> Spec:
    """Dashed lines across."""
    return {
        "data": {"values": [{"at": at} for at in places]},
        "mark": {"type": "rule", "color": "var(--peak)", "strokeDash": [5, 3], "aria": False},
        "encoding": {channel: {"field": "at", "type": "quantitative"}},
    }


def _steps(facts: Facts) -> Html:
    rows = [
        (
            one["name"],
            one["detail"],
            decibels(one["before"]),
            decibels(one["after"]),
            "kept" if one["kept"] else "",
        )
        for one in facts["steps"]
    ]
    made = limited("What was tried", ("pass", "how", "before", "after", ""), rows, [2, 3])
    return folded("What was tried to come nearer", made)


# -- mixtures -------------------------------------------------------------------------

#: What a budget may limit: its name there, a candidate's, and on the axis.
_COSTS = (
    ("flash", "flash", "bytes of flash"),
    ("ram", "arena", "bytes of arena"),
    ("milliseconds", "milliseconds", "ms"),
)


def _front(facts: Facts, charts: list[Chart]) -> Iterator[Html]:
    front, limits = facts["front"], facts["budget"]
    costs = [one for one in _COSTS if limits[one[0]] is not None] or [_COSTS[0]]
    yield tag("h3", "Mixtures of precisions")
    yield tag("p", "Filled: no other one is better in everything. Red: the chosen one.")
    made = [_front_chart(front, key, words, limits[name]) for name, key, words in costs]
    yield tag("div", [drawn(one, charts) for one in made if one is not None], class_="side")
    rows = [
        (
            "chosen" if one["is_chosen"] else "front" if one["is_front"] else "",
            decibels(one["sqnr"]),
            number(one["flash"]),
            number(one["arena"]),
            _score(one["milliseconds"]),
            "-" if one["drop"] is None else f"{one['drop']:.2%}",
            changed_text(one["changed"]),
        )
        for one in front
    ]
    headings = ("", "SQNR", "flash", "arena", "ms", "accuracy lost", "changed operators")
    found = limited("Mixtures that were measured", headings, rows, [1, 2, 3, 4, 5])
    yield folded("Mixtures that were measured", found)


def _front_chart(front: Sequence[Facts], key: str, words: str, limit: float | None) -> Chart | None:
    values = []
    for one in front:
        if one[key] is None:
            continue
        changed = changed_text(one["changed"]) or "as it was"
        rows = {"SQNR": decibels(one["sqnr"]), words: f"{one[key]:,.6g}", "changed": changed}
        color = "var(--peak)" if one["is_chosen"] else "var(--c0)"
        values.append(
            {
                "cost": one[key],
                "sqnr": one["sqnr"],
                "color": color,
                "inside": color if one["is_front"] or one["is_chosen"] else "var(--paper)",
                "label": f"{rows[words]} {words}, {rows['SQNR']}: {shortened(changed)}",
                "tip": tip(rows),
            }
        )
    if not values:
        return None
    scale, number_of = {"zero": False}, {"type": "quantitative"}
    encoding = {
        "x": {"field": "cost", **number_of, "scale": scale, "axis": {"title": words}},
        "y": {"field": "sqnr", **number_of, "scale": scale, "axis": {"title": "SQNR, dB"}},
        "stroke": {"field": "color", "scale": None},
        "fill": {"field": "inside", "scale": None},
    }
    behind = [] if limit is None else [_lines("x", [limit])]
    mark = {"type": "point", "size": 60, "opacity": 1}
    return chart_of(f"SQNR against {words}", 240, values, mark, encoding, behind=behind)
