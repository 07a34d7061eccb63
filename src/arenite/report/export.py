"""A firmware that was written, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.firmware import Export, TflmExport
from arenite.firmware.folder.exported import why_plain
from arenite.firmware.plan.lossless import gained
from arenite.model.text import printable
from arenite.report.text import Column, number, plain_c, table, wrapped

_IN_PLACE = "-"
_LANGUAGES = {"c": "C", "s": "assembly", "cc": "C++", "": ""}


def render_export(result: Export, width: int) -> Iterator[Text]:
    """The folder, a row per layer, the sizes."""
    yield Text(printable(result.folder), style="bold")
    text = f"{result.target}; names begin with {result.name}; {len(result.files)} files"
    yield from wrapped(text, width)
    yield Text()
    layers = result.layers
    yield from table(
        [
            Column("#", [str(layer.index) for layer in layers], "right"),
            Column("layer", [layer.name for layer in layers], shrink=12),
            Column("shapes", [layer.shapes for layer in layers], keep=1),
            Column("function", [layer.function or _IN_PLACE for layer in layers], keep=2),
            Column("in", [_LANGUAGES[layer.language] for layer in layers]),
            Column("constants", [number(layer.constant_bytes) for layer in layers], "right"),
            Column("scratch", [number(layer.scratch_bytes) for layer in layers], "right"),
        ],
        width,
    )
    yield Text()
    if gain := gained(result.model):
        yield from wrapped(f"passes {gain}", width)
    if result.not_verified:
        yield from wrapped(f"Not verified: {result.not_verified}.", width, style="yellow")
    reasons = ((layer.index, why_plain(result.target, layer)) for layer in layers)
    yield from plain_c(reasons, width)
    figures, constants = result.figures, f"{number(result.constant_bytes)} bytes of constants"
    least, less = result.least_ram_bytes, ""
    if least is not None and least < result.arena_bytes:
        less = f"; {number(least)} with --least ram"
    yield Text(f"RAM    {number(result.arena_bytes)} bytes, all scratch memory included{less}")
    tflm = result.tflm_arena_bytes
    if tflm is not None and tflm < result.arena_bytes:
        yield Text(f"       more than TFLM's arena of {number(tflm)} bytes", style="yellow")
    if figures is None:
        yield Text(f"flash  {constants}, and code")
        return
    yield Text(f"flash  {constants}, {number(figures.code_bytes)} of code")
    yield Text(f"stack  {number(figures.stack_bytes)} bytes")
    cycles = f"{number(figures.instructions)} instructions, {number(figures.cycles)} cycles"
    yield Text(f"time   {cycles}, estimated; {figures.processor}, emulated")
    if not figures.equal:
        yield Text("DIFFERENT  the self-test fails: arenite board says where", style="bold red")


def render_tflm(result: TflmExport, width: int) -> Iterator[Text]:
    """The folder for TFLM, its sizes, its files."""
    yield Text(printable(result.folder), style="bold")
    text = f"TFLM on {result.target}; names begin with {result.name}; {len(result.files)} files"
    yield from wrapped(text, width)
    yield Text()
    yield Text(f"RAM    {number(result.arena_bytes)} bytes of arena")
    yield Text(f"flash  {number(result.model_bytes)} bytes of model, and TFLM")
    yield Text(f"ops    {result.operators} in the resolver")
    yield from wrapped("files  " + ", ".join(result.files), width)
