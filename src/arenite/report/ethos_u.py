"""Vela's work on a model, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.ethos_u import NpuOperator, commands, npu_operators, on_the_cpu
from arenite.model import Model
from arenite.report.text import Column, number, size, table, wrapped


def render_npu(model: Model, width: int) -> Iterator[Text]:
    """The NPU, its commands and regions, and what stayed on the CPU; nothing without an NPU."""
    found = npu_operators(model)
    if not found:
        return
    yield Text("Ethos-U", style="bold")
    columns = [
        Column("#", [str(one.operator) for one in found], "right"),
        Column("NPU", [one.accelerator or "unknown" for one in found]),
        Column("words", [number(one.word_count) for one in found], "right", keep=1),
        Column("constants", [number(len(one.read_only)) for one in found], "right"),
        Column("work", [number(one.work) for one in found], "right"),
        Column("fast", [_fast(one) for one in found], "right"),
    ]
    yield from table(columns, width)
    for one in found:
        kinds = ", ".join(f"{count} {name}" for name, count in one.counts.items())
        yield from wrapped(f"operator {one.operator}: {kinds or 'no commands'}", width, indent=2)
    rest = on_the_cpu(model)
    names = ", ".join(f"{count}x {name}" if count > 1 else name for name, count in rest.items())
    yield from wrapped(f"on the CPU: {names or 'nothing'}", width)
    for text in dict.fromkeys(one.refusal for one in found if one.refusal):
        yield from wrapped(f"not computed here: {text}", width, style="yellow")


def _fast(one: NpuOperator) -> str:
    return "in work" if one.fast is None else number(one.fast)


def render_scratch(model: Model, width: int) -> Iterator[Text]:
    """Scratch memory when most is alive, for every operator of an NPU."""
    for one in npu_operators(model):
        scratch = one.scratch
        if scratch is None or scratch.peak < 0:
            continue
        peak = scratch.peak
        own = "" if one.fast is None else f" and {number(one.fast)} of fast memory"
        yield Text()
        yield Text(f"Ethos-U, operator {one.operator}, from inside", style="bold")
        yield from wrapped(
            f"{number(one.work)} bytes to work in{own}; most is alive at operation {peak} of "
            f"{len(scratch.alive)}: {size(scratch.alive[peak])}",
            width,
        )
        alive = scratch.at(peak)
        columns = [
            Column("buffer", [b.what for b in alive], shrink=12),
            Column("memory", ["fast" if b.region == 2 else "work" for b in alive], keep=1),
            Column("offset", [number(b.begin) for b in alive], "right"),
            Column("size", [number(b.size) for b in alive], "right"),
            Column("alive", [_lifetime(b.first, b.last) for b in alive], keep=1),
        ]
        yield from table(columns, width)


def _lifetime(first: int, last: int) -> str:
    begin = "input" if first < 0 else f"operation {first}"
    return f"{begin} to {last}" if last != first else begin


def render_commands(one: NpuOperator, width: int) -> Iterator[Text]:
    """Its operations in words."""
    yield Text()
    yield Text(f"Commands of operator {one.operator} for {one.accelerator}", style="bold")
    found = commands(one)
    if not found:
        yield from wrapped(f"not computed here: {one.refusal or 'damaged'}", width, indent=2)
        return
    for place, (kind, text) in enumerate(found):
        yield from wrapped(f"{place:>4}  {kind:<12}  {text}", width, indent=20)
