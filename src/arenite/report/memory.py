"""An arena's use as facts and as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.text import Text

from arenite.memory.plan import MemoryPlan, PlannedBuffer
from arenite.memory.recording import Allocations, Peak
from arenite.report.memory_map import ASCII, UNICODE, buffer_name, color_of, draw_map, lifetime
from arenite.report.text import Column, number, printable, size, table, wrapped
from arenite.target import Target


@dataclass(frozen=True)
class Firmware:
    """What decides on the arena besides the model."""

    planner: str
    target: Target

    def __str__(self) -> str:
        return f"{self.target}, {self.planner} planner"


@dataclass(frozen=True)
class ArenaUse:
    """How a model uses an arena of ``arena`` bytes; ``firmware`` is what it is built as."""

    file: str
    firmware: Firmware
    arena: int
    plan: MemoryPlan
    allocations: Allocations

    @property
    def smallest(self) -> int:
        """Bytes of the smallest arena that works."""
        return self.allocations.peak.smallest_arena

    @property
    def temp(self) -> int:
        """Bytes that only allocation needs, beyond what head and tail take afterwards."""
        return max(self.smallest - self.allocations.total, 0)

    @property
    def free(self) -> int:
        """Bytes that are never used."""
        return self.arena - self.allocations.total - self.temp

    @property
    def head_buffers(self) -> list[PlannedBuffer]:
        """The buffers that share the head."""
        return [buffer for buffer in self.plan.buffers if buffer.kind != "variable"]


def arena_facts(use: ArenaUse) -> dict[str, Any]:
    """Everything that ``arenite memory`` prints; see ``docs/cli.md`` for the keys."""
    allocations = use.allocations.to_dict()
    return {
        **small_arena_facts(use.file, use.firmware, use.arena, use.allocations.peak),
        "fits": True,
        "total": use.allocations.total,
        "head": use.allocations.head,
        "temp": use.temp,
        "tail": use.allocations.tail,
        "free": use.free,
        "buffers": [asdict(buffer) for buffer in use.plan.buffers],
        "tail_categories": allocations["categories"],
        "tail_records": allocations["records"],
    }


def small_arena_facts(file: str, firmware: Firmware, arena: int, peak: Peak) -> dict[str, Any]:
    """What is left to say of an arena that is too small: the first keys of the others."""
    return {
        "file": file,
        **asdict(firmware),
        "fits": False,
        "arena": arena,
        "smallest_arena": peak.smallest_arena,
        "set_by": peak._asdict(),
    }


def render_arena(use: ArenaUse, width: int, *, ascii_only: bool = False) -> Iterator[Text]:
    """Regions, the map of the head, its buffers, the tail's categories."""
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
    "on a host of 64 bits; --target cortex-m4 says what TFLM with CMSIS-NN takes on a Cortex-M, "
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
