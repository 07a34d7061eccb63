"""Two computations side by side, as a person reads them, and as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.compare import Comparison, Layer
from arenite.analysis.compare_inputs import RANDOM
from arenite.model.text import printable
from arenite.report.drawing import SMALL, Drawing
from arenite.report.text import Column, number, table, wrapped

#: Bars and pictures show errors of 0 dB (as large as the signal) to 60.
_RANGE, _BAR = 60.0, 20
_MOST = 3


def render_comparison(found: Comparison, width: int, bar: str = "█") -> Iterator[Text]:
    """A row per operator, then what differs first, and by how much."""
    fed = f", {found.fed}" if found.fed else ""
    yield from wrapped(
        f"{found.first} and {found.second}, {found.runs} inferences{fed}", width, style="bold"
    )
    yield Text()
    yield from _rows(found, width, bar)
    yield Text()
    yield from verdict(found, width)
    if found.missing:
        names = ", ".join(map(printable, found.missing[:_MOST]))
        more = ", ..." if len(found.missing) > _MOST else ""
        yield from wrapped(
            f"{len(found.missing)} tensors have no counterpart: {names}{more}.",
            width,
            style="yellow",
        )


def _rows(found: Comparison, width: int, bar: str) -> list[Text]:
    layers = found.layers
    columns = [
        Column("#", [str(one.operator) for one in layers], "right"),
        Column("operator", [printable(one.name) for one in layers], shrink=12),
        Column("tensor", [short(printable(one.tensor_name)) for one in layers], keep=4),
        Column("by", [one.paired if one.paired != "index" else "" for one in layers], keep=5),
        Column("different", [number(one.different) for one in layers], "right"),
        Column("of", [number(one.elements) for one in layers], "right", keep=3),
        Column("steps", ["" if one.steps is None else str(one.steps) for one in layers], "right"),
        Column("SQNR, dB", [decibels(one.sqnr) for one in layers], "right"),
        Column("cosine", [f"{one.cosine:.5f}" for one in layers], "right", keep=2),
        Column("error", [_bar(one.sqnr, bar) for one in layers], keep=1, style="red"),
    ]
    lines = table(columns, width)
    for line, one in zip(lines[1:], layers, strict=True):
        line.stylize("bold" if one.is_origin else "" if one.different else "dim")
    return lines


def short(name: str) -> str:
    """A tensor's name for a column: the end of its path, and how many more were fused with it.

    >>> short("net/bn/FusedBatchNormV3;net/conv/Conv2D")
    'bn/FusedBatchNormV3 +1'
    """
    first, *fused = name.split(";")
    more = f" +{len(fused)}" if fused else ""
    return "/".join(first.split("/")[-2:]) + more


def decibels(value: float) -> str:
    """``32.1``; a word where there is no error, or nothing else."""
    if math.isinf(value):
        return "equal" if value > 0 else "lost"
    return f"{value:.1f}"


def _bar(sqnr: float, bar: str) -> str:
    return bar * math.ceil(_BAR * _share(sqnr))


def _share(sqnr: float) -> float:
    """A share from 0 for no error that shows to 1 for one as large as the signal."""
    return 0.0 if sqnr == math.inf else min(max(1 - sqnr / _RANGE, 0.0), 1.0)


def verdict(found: Comparison, width: int) -> Iterator[Text]:
    """Verdict: what differs first, and by how much; of quantised next to float, the worst loss."""
    first = found.first_different
    if first is None:
        yield Text("Every tensor is equal.", style="bold green")
        return
    if found.is_quantised_against_float:
        yield from _losses(found, width)
        return
    yield from wrapped(
        f"The first that differs is {_where(first)}: {_how(first)}.", width, style="bold"
    )
    for text in first.advice:
        yield from wrapped(f"{text[0].upper()}{text[1:]}.", width)
    others = [one for one in found.origins if one is not first]
    if others:
        names = ", ".join(_where(one) for one in others[:_MOST])
        more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
        yield from wrapped(f"So do, from equal inputs: {names}{more}.", width)


def _losses(found: Comparison, width: int) -> Iterator[Text]:
    yield from wrapped(
        "Quantised next to float: every layer differs. Most is lost by", width, style="bold"
    )
    for one in found.most_lost[:_MOST]:
        text = f"{_where(one)}: {decibels(one.sqnr)} dB, {one.loss:.1f} less than what it reads."
        advice = " ".join(f"{words[0].upper()}{words[1:]}." for words in one.advice)
        yield from wrapped(f"- {text} {advice}", width)
    if found.fed == RANDOM:
        yield from wrapped(
            "These inputs are random: --data FOLDER|FILE.npz compares on your data, and gives "
            "advice.",
            width,
        )


def _where(one: Layer) -> str:
    return f"operator {one.operator}, {printable(one.name)}"


def _how(one: Layer) -> str:
    if one.shapes is not None:
        return f"its shapes are {list(one.shapes[0])} and {list(one.shapes[1])}"
    share = f"{number(one.different)} of {number(one.elements)} elements"
    by = f"by up to {one.error:.4g}" if one.steps is None else f"by up to {one.steps} steps"
    if one.steps == 1:
        by = "by one step"
    if one.worst is None:
        return f"{share}, {by}"
    worst = one.worst
    return (
        f"{share}, {by}; worst in inference {worst.run} at {list(worst.place)}, {worst.first:.6g} "
        f"and {worst.second:.6g}"
    )


def comparison_svg(found: Comparison) -> str:
    """Error against depth: a column per operator, taller for a larger error."""
    left, top, height, column = 56.0, 44.0, 200.0, 14.0
    width = int(left + column * max(len(found.layers), 24) + 20)
    drawing = Drawing(width, int(top + height + 44), f"{found.first} and {found.second}")
    drawing.text(left, 20, f"{found.first} and {found.second}: error by operator", bold=True)
    for level in range(0, int(_RANGE) + 1, 20):
        y = top + height * level / _RANGE
        drawing.line((left, y), (left + column * len(found.layers), y))
        drawing.text(left - 6, y + 4, f"{level} dB", anchor="end", size=SMALL, dim=True)
    for place, one in enumerate(found.layers):
        tall = height * _share(one.sqnr)
        x = left + column * place
        if tall:
            fill = "red" if one.is_origin else "amber"
            drawing.box((x + 2, top + height - tall), (column - 4, tall), fill)
        if place % 5 == 0:
            drawing.text(
                x + column / 2, top + height + 16, str(one.operator), anchor="middle", size=SMALL
            )
    caption = "operator; the scale is the ratio of signal to error, red differs from equal inputs"
    drawing.text(left, top + height + 34, caption, size=SMALL, dim=True)
    return drawing.svg()
