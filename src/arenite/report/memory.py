"""An arena's use as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.arena_use import ArenaUse
from arenite.analysis.head_plans import HeadPlans, PassWin
from arenite.cores import DEFAULT
from arenite.memory.recording import Peak
from arenite.model.text import printable
from arenite.report.memory_map import ASCII, UNICODE, buffer_name, color_of, draw_map, lifetime
from arenite.report.text import Column, number, size, table, wrapped


def render_arena(
    use: ArenaUse,
    plans: HeadPlans,
    wins: Sequence[PassWin] | None,
    width: int,
    *,
    ascii_only: bool = False,
) -> Iterator[Text]:
    """Regions, the map of the head, its buffers, plans of it, the tail's categories."""
    yield Text(printable(use.file), style="bold")
    yield from wrapped(str(use.firmware), width)
    yield Text()
    yield from render_regions(use, width, ascii_only=ascii_only)
    yield Text()
    yield Text("Head: offset in bytes against operators", style="bold")
    yield from draw_map(use.head_buffers, width, glyphs=ASCII if ascii_only else UNICODE)
    yield Text()
    yield from _buffers(use, width)
    yield Text()
    yield from _plans(plans, width)
    if wins is not None:
        yield from _wins(wins, width)
    yield Text()
    yield Text("Tail", style="bold")
    yield from _tail(use, width)
    yield Text()
    yield Text.assemble(("Smallest arena  ", "bold"), size(use.smallest))
    yield from wrapped(f"set by {moment_text(use.allocations.peak)}", width)
    if use.firmware.target.abi.startswith("lp64"):
        yield from wrapped(_ON_64_BITS, width)


def moment_text(peak: Peak) -> str:
    """The moment at which most of the arena is in use, in words."""
    if peak.moment == "prepare":
        return f"prepare of {printable(peak.operator)}"
    return _MOMENTS[peak.moment]


_ON_64_BITS = (
    f"on a host of 64 bits; --target {DEFAULT} says what TFLM with CMSIS-NN takes on a Cortex-M, "
    "with --library tflm what TFLM's own kernels take there"
)

_MOMENTS = {
    "creation": "the allocator's own structs",
    "start": "the structs of the model",
    "init": "init of the operators",
    "planning": "planning the head",
    "ports": "head and tail, once all is allocated",
}


def render_regions(use: ArenaUse, width: int, *, ascii_only: bool = False) -> Iterator[Text]:
    """A bar to scale, and a line per region."""
    head, _, tail = use.allocations.head, use.temp, use.allocations.tail
    regions = [
        ("head", head, "tensors and scratch memory of an inference", "#█", "cyan"),
        (
            "temp",
            use.temp,
            "more, while operators are prepared and memory is planned",
            "t▒",
            "magenta",
        ),
        ("free", use.free, "", ".░", "dim"),
        ("tail", tail, "structs, and what lives as long as the interpreter", "=▓", "yellow"),
    ]
    bar, start, drawn = Text("["), 0, 0
    for _, count, _, marks, style in regions:
        start += count
        cells = round(start * (width - 2) / max(use.arena, 1)) - drawn
        bar.append((marks[0] if ascii_only else marks[1]) * cells, style=style)
        drawn += cells
    yield Text.assemble(("Arena  ", "bold"), size(use.arena))
    yield bar.append("]")
    columns = [
        Column("", [marks[0 if ascii_only else 1] for _, _, _, marks, _ in regions]),
        Column("", [name for name, *_ in regions]),
        Column("", [number(count) for _, count, *_ in regions], "right"),
        Column("", [meaning for _, _, meaning, _, _ in regions], keep=1),
    ]
    yield from table(columns, width)[1:]


def _buffers(use: ArenaUse, width: int) -> list[Text]:
    buffers = use.head_buffers
    columns = [
        Column("#", [str(index) for index in range(len(buffers))], "right"),
        Column("buffer", [buffer_name(b) for b in buffers], shrink=12),
        Column("kind", [b.kind for b in buffers], keep=2),
        Column("offset", [number(b.offset) for b in buffers], "right"),
        Column("size", [number(b.size) for b in buffers], "right"),
        Column("alive", [lifetime(b) for b in buffers], keep=1),
    ]
    lines = table(columns, width)
    for index, line in enumerate(lines[1:]):
        line.stylize(color_of(index), 0, len(columns[0].cells[-1]))
    return lines


def plan_rows(plans: HeadPlans) -> list[tuple[str, int, str]]:
    """Every plan's name, bytes, and what it is."""
    proof = "proved to be the least" if plans.is_proved else "not proved to be the least"
    rows = [
        ("the file's own", plans.own, f"for {plans.made_for}" if plans.made_for else ""),
        ("greedy", plans.greedy, "TFLM's planner"),
        ("optimal", plans.optimal, proof),
        ("lower bound", plans.lower_bound, "without tensors on each other"),
    ]
    return [(name, count, meaning) for name, count, meaning in rows if count is not None]


def _plans(plans: HeadPlans, width: int) -> Iterator[Text]:
    """TFLM's plan, the best one and the bound, in one line, and what the best one would win."""
    there = plan_rows(plans)
    yield Text("Plans of the head", style="bold")
    columns = [
        Column("", [name for name, _, _ in there]),
        Column("", [number(count) for _, count, _ in there], "right"),
        Column("", [meaning for _, _, meaning in there], keep=1),
    ]
    yield from table(columns, width)[1:]
    if plans.optimal_arena < plans.arena:
        yield from wrapped(
            f"arenite optimize --only plan writes the optimal plan into the model: an arena of "
            f"{number(plans.optimal_arena)} instead of {number(plans.arena)} bytes is enough",
            width,
        )


def _wins(wins: Sequence[PassWin], width: int) -> Iterator[Text]:
    yield Text()
    yield Text("Smallest arena after each pass of arenite optimize", style="bold")
    columns = [
        Column("", [win.name for win in wins]),
        Column("", [number(win.arena) for win in wins], "right"),
        Column("", [win.first_change for win in wins], shrink=12),
    ]
    yield from table(columns, width)[1:]


def _tail(use: ArenaUse, width: int) -> Sequence[Text]:
    categories = use.allocations.categories
    return table(
        [
            Column("", [category.name for category in categories], shrink=20),
            Column("bytes", [number(category.used_bytes) for category in categories], "right"),
            Column(
                "requested",
                [number(category.requested_bytes) for category in categories],
                "right",
                keep=2,
            ),
            Column("count", [number(category.count) for category in categories], "right", keep=1),
        ],
        width,
    )
