"""A model's firmware on an emulated board, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.cores import CORES, CYCLES
from arenite.firmware.flash_reads import FlashReads
from arenite.firmware.trial import Trial
from arenite.model.text import printable
from arenite.report.text import Column, number, plain_c, table, wrapped


def render_trial(result: Trial, width: int) -> Iterator[Text]:
    """A row per layer, the total, memory, whether all is equal."""
    layers = result.layers
    yield Text(printable(result.file), style="bold")
    yield from wrapped(f"{result.processor}, emulated; {result.built}", width)
    yield Text()
    yield from table(
        [
            Column("#", [*(str(layer.index) for layer in layers), ""], "right"),
            Column("layer", [*(layer.name for layer in layers), "total"]),
            Column("function", [*(layer.function or "-" for layer in layers), ""], keep=1),
            Column(
                "instructions",
                [*(number(one.instructions) for one in layers), number(result.instructions)],
                "right",
            ),
            Column(
                "cycles", [*(number(one.cycles) for one in layers), number(result.cycles)], "right"
            ),
        ],
        width,
    )
    yield Text()
    yield from plain_c(((layer.index, layer.reason) for layer in layers), width)
    own = f"{number(result.static_bytes)} of your kernels', " if result.static_bytes else ""
    stack = f"{number(result.stack_bytes)} of stack"
    yield Text(f"RAM    {number(result.arena_bytes)} bytes of arena, {own}{stack}")
    constants = "the model" if result.library == "tflm" else "constants"
    flash = f"{number(result.constant_bytes)} of {constants}, {number(result.code_bytes)} of code"
    yield Text(f"flash  {number(result.flash_bytes)} bytes: {flash}")
    if result.time is not None:
        yield from wrapped(f"time   {result.time.amount}: {result.time.note}", width, indent=7)
    if result.reads is not None:
        yield from wrapped(f"       {_flash(result.reads)}", width, indent=7)
    elif result.reads_reason:
        yield from wrapped(f"       {result.reads_reason}", width, indent=7)
    for line in result.self_test.splitlines():
        yield Text(f"test   {printable(line)}")
    yield Text(_verdict(result), style="green" if result.equal else "bold red")
    yield Text()
    text = f"Instructions were counted. {CYCLES[CORES[result.processor].family]}"
    yield from wrapped(text, width)


def _flash(reads: FlashReads) -> str:
    cycles = dict.fromkeys(f"{one:,}" for one in reads.cycles)
    time = f"{' to '.join(cycles)} cycles at {reads.clock:g} MHz. "
    if not reads.code + reads.data:
        return f"{time}All code and constants of an inference stay in the chip's caches"
    return (
        f"{time}{reads.code:,} lines of code and {reads.data:,} of constants "
        f"are not in the chip's caches, {reads.waits} cycles each; the less, the more of the code "
        "it prefetches"
    )


def _verdict(result: Trial) -> str:
    if result.equal and result.library == "tflm":
        return f"equal  every output of {result.runs} inferences to Arenite's for that target"
    if result.equal:
        return f"equal  every layer and output of {result.runs} inferences, and the self-test"
    return f"DIFFERENT  {result.differences[0]}"
