"""One inference as a person reads it: what went in, what came out, how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from statistics import median

from rich.text import Text

from arenite.analysis.engines.ranking import Ranked, is_plain
from arenite.analysis.outcome import Inference, summary
from arenite.model import Tensor
from arenite.model.model import Array, tensor_text
from arenite.model.text import printable
from arenite.report.text import Column, duration, name_text, size, table, wrapped

_BAR = 20


def render_inference(
    inference: Inference, width: int, count: int, bar: str = "█"
) -> Iterator[Text]:
    """Inputs and their origins, outputs and their largest values, time."""
    yield Text(printable(inference.file), style="bold")
    yield from wrapped(str(inference.target), width)
    yield Text()
    for tensor, origin in zip(inference.inputs, inference.origins, strict=True):
        yield Text.assemble(("in   ", "cyan"), f"{tensor_text(tensor)}  {name_text(tensor.name)}")
        yield Text(f"     {printable(origin)}", style="dim")
    for index, tensor in enumerate(inference.outputs):
        yield Text.assemble(("out  ", "cyan"), f"{tensor_text(tensor)}  {name_text(tensor.name)}")
        ranked = inference.top(index, count)
        if ranked:
            yield from _ranking(ranked, width, bar)
        else:
            yield _summary(inference.arrays[index], tensor)
    yield Text()
    yield _time(inference.seconds, inference.engine)


def _ranking(ranked: Sequence[Ranked], width: int, bar: str) -> Iterator[Text]:
    largest = ranked[0].value
    columns = [
        Column("", ["   "] * len(ranked)),
        Column("#", [str(r.index) for r in ranked], "right"),
        Column("label", [printable(r.label) for r in ranked], shrink=12),
        Column("value", [f"{r.value:.4g}" for r in ranked], "right"),
        Column("raw", [str(r.raw) for r in ranked], "right", keep=2),
        Column("", [bar * _length(r.value, largest) for r in ranked], keep=1, style="green"),
    ]
    if not any(r.label for r in ranked):
        del columns[2]
    if all(isinstance(r.raw, float) for r in ranked):
        columns = [column for column in columns if column.heading != "raw"]
    yield from table(columns, width)


def _length(value: float, largest: float) -> int:
    """Cells of a bar; none for NaN, infinities and values under zero."""
    if not (isfinite(value) and isfinite(largest) and 0 < value <= largest):
        return 0
    return round(_BAR * value / largest)


def _summary(array: Array, tensor: Tensor) -> Text:
    if not array.size:
        return Text("     no values")
    if not is_plain(tensor):
        return Text(f"     {size(array.nbytes)} of {tensor.type}")
    values = summary(array, tensor)
    if array.size == 1:
        return Text(f"     {values.mean:.6g}")
    return Text(f"     min {values.smallest:.4g}  mean {values.mean:.4g}  max {values.largest:.4g}")


def _time(seconds: Sequence[float], engine: str) -> Text:
    if len(seconds) == 1:
        text = f"{duration(seconds[0])}, one run, {engine} engine"
        return Text.assemble(("time  ", "bold"), text)
    spread = f"{duration(min(seconds))} .. {duration(max(seconds))}"
    text = f"{duration(median(seconds))}, median of {len(seconds)} ({spread}), {engine} engine"
    return Text.assemble(("time  ", "bold"), text)
