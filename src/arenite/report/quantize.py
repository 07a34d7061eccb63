"""Result of a quantisation, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from rich.text import Text

from arenite.model.text import printable
from arenite.quantize.judge import EXACT, lost_most
from arenite.quantize.outcome import Candidate, Report, Step
from arenite.report.text import Column, duration, number, table, wrapped

#: Rows that are shown without ``--verbose``.
_FEW = 8


def render_quantization(report: Report, width: int, *, verbose: bool = False) -> Iterator[Text]:
    """Attempts, places where precision is lost, what stays float, what it takes."""
    yield Text(printable(report.original.source or "(built)"), style="bold")
    target = report.settings.target or "TFLM's package"
    yield from wrapped(
        f"{report.settings.activations} for {target}, ranges of {number(report.samples)} samples, "
        f"judged on {_judged(report)}",
        width,
    )
    if report.pixels:
        yield from wrapped(report.pixels, width)
    yield Text()
    yield from table(_step_columns(report.steps, timed=verbose), width)
    yield Text()
    yield Text("Layers that lose most" if not verbose else "Layers", style="bold")
    yield from table(_layer_columns(report, verbose=verbose), width)
    if report.floating:
        yield Text()
        yield Text("Stays float", style="bold")
        for one in report.floating:
            text = f"  {one.position} {one.name}: {printable(one.reason)}"
            yield from wrapped(text, width, indent=4)
    if report.front:
        yield Text()
        yield Text("Mixtures", style="bold")
        yield from table(_front_columns(report.front, verbose=verbose), width)
    yield Text()
    yield from table(_figure_columns(report), width)
    yield Text()
    for note in (
        report.notes if verbose else [one for one in report.notes if "rewritten" not in one]
    ):
        yield from wrapped(f"note: {printable(note)}", width, style="yellow")
    text = f"SQNR of the outputs: {decibels(report.sqnr)}"
    if report.agreement is not None:
        text += f"; {report.agreement:.1%} of the samples have the float model's class"
    yield from wrapped(text, width, style="green")


def _judged(report: Report) -> str:
    count = number(report.judged)
    return f"{count} others" if report.apart else f"the same {count}, for want of more"


def decibels(value: float) -> str:
    """An SQNR in words."""
    return "exact" if value >= EXACT else f"{value:.1f} dB"


def _step_columns(steps: Sequence[Step], *, timed: bool) -> list[Column]:
    columns = [
        Column("pass", [one.name for one in steps]),
        Column("how", [one.detail for one in steps], shrink=10),
        Column("before", [decibels(one.before) for one in steps], "right"),
        Column("after", [decibels(one.after) for one in steps], "right"),
        Column("", ["kept" if one.kept else "" for one in steps]),
    ]
    if timed:
        columns.append(Column("time", [duration(one.seconds) for one in steps], "right", 1))
    return columns


def _layer_columns(report: Report, *, verbose: bool) -> list[Column]:
    lost = lost_most(report.layers)
    layers = list(report.layers)
    if not verbose:
        worst = sorted(layers, key=lambda one: -lost[one.position])[:_FEW]
        layers = sorted(worst, key=lambda one: one.position)
    return [
        Column("", [str(one.position) for one in layers], "right"),
        Column("operator", [one.name for one in layers]),
        Column("SQNR", [decibels(one.sqnr) for one in layers], "right"),
        Column("lost here", [f"{lost[one.position]:.1f}" for one in layers], "right"),
        Column("tensor", [one.tensor for one in layers], shrink=12, keep=1),
    ]


def _front_columns(front: Sequence[Candidate], *, verbose: bool) -> list[Column]:
    shown = [one for one in front if verbose or one.is_front or one.is_chosen]
    return [
        Column("", ["chosen" if one.is_chosen else "" for one in shown]),
        Column("SQNR", [decibels(one.sqnr) for one in shown], "right"),
        Column("flash", [number(one.flash) for one in shown], "right"),
        Column("arena", [number(one.arena) for one in shown], "right"),
        Column(
            "ms",
            ["" if one.milliseconds is None else f"{one.milliseconds:.3g}" for one in shown],
            "right",
        ),
        Column("drop", ["" if one.drop is None else f"{one.drop:.2%}" for one in shown], "right"),
        Column("changed", [changed_text(one.changed) for one in shown], shrink=12, keep=1),
    ]


def changed_text(changed: Mapping[Any, str]) -> str:
    """Operators that have another precision, by precision."""
    kinds: dict[str, list[str]] = {}
    for position, kind in changed.items():
        kinds.setdefault(kind, []).append(str(position))
    return "; ".join(f"{kind}: {' '.join(where)}" for kind, where in kinds.items())


def _figure_columns(report: Report) -> list[Column]:
    rows = [("float", report.before), ("quantised", report.after)]
    columns = [
        Column("", [name for name, _ in rows]),
        Column("arena", [number(one.arena) for _, one in rows], "right"),
        Column("flash", ["-" if o.flash is None else number(o.flash) for _, o in rows], "right"),
        Column("cycles", ["-" if o.cycles is None else number(o.cycles) for _, o in rows], "right"),
        Column("operators", [number(one.operators) for _, one in rows], "right", 2),
    ]
    columns += [
        Column(name, [f"{value:.4g}" for value in both], "right", 1)
        for name, both in report.scores.items()
    ]
    return columns


# -- the picture -------------------------------------------------------------------------

_WIDTH, _HEIGHT, _EDGE = 640, 400, 60


def front_svg(report: Report) -> str:
    """The mixtures that were measured: flash from left to right, dB upwards.

    The front is filled, the chosen one has a ring.
    """
    front = report.front
    least, most = _ends([float(one.flash) for one in front])
    low, high = _ends([one.sqnr for one in front])
    marks = []
    for one in front:
        x = _EDGE + (one.flash - least) / (most - least) * (_WIDTH - 2 * _EDGE)
        y = _HEIGHT - _EDGE - (one.sqnr - low) / (high - low) * (_HEIGHT - 2 * _EDGE)
        fill = "#2a6f97" if one.is_front else "none"
        changed = changed_text(one.changed) or "as it was"
        title = escape(f"{one.flash:,} bytes, {one.sqnr:.1f} dB; {changed}")
        marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="#2a6f97">'
            f"<title>{title}</title></circle>"
        )
        if one.is_chosen:
            marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="#c1121f"/>')
    bottom, right = _HEIGHT - _EDGE, _WIDTH - _EDGE
    labels = [
        (_EDGE, bottom + 20, "start", f"{least:,.0f}"),
        (right, bottom + 20, "end", f"{most:,.0f} bytes of flash"),
        (_EDGE - 6, bottom, "end", f"{low:.1f}"),
        (_EDGE - 6, _EDGE, "end", f"{high:.1f} dB"),
    ]
    texts = [
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="12">{escape(text)}</text>'
        for x, y, anchor, text in labels
    ]
    axes = f'<path d="M{_EDGE},{_EDGE}V{bottom}H{right}" fill="none" stroke="#888"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif">{axes}{"".join(texts)}{"".join(marks)}</svg>\n'
    )


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that holds all values, never the same."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 1, low + 1)
