"""Draw the pictures of ``memory.md``: ``python docs/make_memory.py``.

Every number in them is computed by Arenite, for the bundled model on a Cortex-M with CMSIS-NN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import arenite as ar
from arenite.memory.recording import Asking, name_of
from arenite.report.drawing import LARGE, SMALL, Drawing, documents
from arenite.report.text import number
from arenite.runtime.allocation import dry_run
from arenite.runtime.interpreter_config import Setup

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SETUP = Setup.of("cortex-m4")
MODEL = ROOT / "examples" / "digits" / "digits_int8.tflite"
WIDTH, LEFT, RIGHT = 780, 20, 760
FIRMWARE = "ilp32, CMSIS-NN on a Cortex-M4"


class Moment(NamedTuple):
    """What a step of ``AllocateTensors`` leaves, and the most temporary memory during it."""

    name: str
    head: int
    temp: int
    tail: int


@cache
def moments() -> tuple[Moment, ...]:
    """Every step of the bundled model's allocation."""
    allocator = SETUP.allocator(None)
    arena, note = allocator.arena, allocator.note_peak
    steps = [Moment("creation", 0, 0, arena.tail_used)]
    during: list[tuple[int, int, int]] = []

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = method(*args, **kwargs)
            during.append((arena.head_used, arena.temp - arena.head, arena.tail_used))
            return result

        return call

    def noted(moment: str, operator: Asking | None = None) -> None:
        used, temp, tail = max(during, key=sum, default=(arena.head_used, 0, arena.tail_used))
        name = moment if operator is None else name_of(operator).replace("#", "prepare ")
        steps.append(Moment(name, used - temp, temp, max(tail, arena.tail_used)))
        during.clear()
        note(moment, operator)

    for name in ("allocate_temp", "touch_temp", "resize_buffer", "allocate_persistent_buffer"):
        setattr(arena, name, watched(getattr(arena, name)))
    allocator.note_peak = noted  # type: ignore[method-assign]
    dry_run(ar.load(MODEL), SETUP.resolver(ar.AllOpsResolver()), allocator)
    return tuple(steps)


@cache
def allocations() -> ar.Allocations:
    """The arena once all is allocated."""
    micro = ar.MicroInterpreter(ar.load(MODEL), ar.AllOpsResolver(), size(), target=SETUP.target)
    micro.allocate_tensors()
    return micro.allocations()


def size() -> int:
    """Bytes of the smallest arena."""
    return ar.smallest_arena(ar.load(MODEL), target=SETUP.target)


def arena_regions() -> Drawing:
    """The arena while an operator is prepared, and when all is done."""
    d = Drawing(WIDTH, 300, "The arena's regions while an operator is prepared, and afterwards")
    prepared = max((m for m in moments() if m.name.startswith("prepare")), key=lambda m: m.temp)
    done = moments()[-1]
    for y, moment, title in (
        (64, prepared, f"while {prepared.name.removeprefix('prepare ')} is prepared"),
        (196, done, "when AllocateTensors() has returned"),
    ):
        _regions(d, y, moment, title)
    d.text(LEFT, 24, f"tensor_arena of {number(size())} bytes ({FIRMWARE})", size=LARGE, bold=True)
    return d


def _regions(d: Drawing, y: int, moment: Moment, title: str) -> None:
    total, scale = size(), (RIGHT - LEFT) / size()
    d.text(LEFT, y - 10, title)
    ends = (0, moment.head, moment.head + moment.temp, total - moment.tail, total)
    for (name, fill), start, end in zip(
        (("head", "blue"), ("temp", "pink"), ("free", "none"), ("tail", "amber")),
        ends,
        ends[1:],
        strict=False,
    ):
        if end > start:
            text = f"{name} {number(end - start)}" if (end - start) * scale > 80 else ""
            d.box((LEFT + start * scale, y), ((end - start) * scale, 40), fill, text)
    _pointers(d, y + 40, ends, scale)


def _pointers(d: Drawing, y: int, ends: tuple[int, ...], scale: float) -> None:
    """Names below the places that they point to; of close ones the left one lies lower."""
    names = ("buffer_head", "head", "temp", "tail", "buffer_tail")
    level, right = 0, RIGHT + 1000.0
    for name, end in reversed(list(zip(names, ends, strict=True))):
        x = LEFT + end * scale
        level = level + 1 if right - x < 120 and name != "tail" else 0
        side = -4 if name == "buffer_tail" else 4
        d.line((x, y), (x, y + 20 + 16 * level))
        anchor = "end" if side < 0 else "start"
        d.text(x + side, y + 20 + 16 * level, f"{name} {number(end)}", anchor=anchor, size=SMALL)
        right = x


def arena_steps() -> Drawing:
    """How full both ends are in every step."""
    steps, total = moments(), size()
    top, height, left = 54, 300, 84
    d = Drawing(WIDTH, top + height + 150, "Head, temporary memory and tail in every step")
    d.text(LEFT, 24, f"Both ends of the arena in every step ({FIRMWARE})", size=LARGE, bold=True)
    scale, across = height / total, (RIGHT - left) / len(steps)
    for mark in (0, 1000, 2000, 3000, 4000, total):
        y = top + height - mark * scale
        if mark in (0, total) or total - mark > 300:
            d.line((left, y), (RIGHT, y))
            d.text(left - 8, y + 4, number(mark), anchor="end", size=SMALL)
    for place, step in enumerate(steps):
        x, wide = left + place * across + 5, across - 10
        bottom = top + height
        d.box((x, bottom - step.head * scale), (wide, step.head * scale), "blue")
        d.box((x, bottom - (step.head + step.temp) * scale), (wide, step.temp * scale), "pink")
        d.box((x, top), (wide, step.tail * scale), "amber")
        _slanted(d, x + wide / 2 + 4, bottom + 14, step.name)
    legend = (("blue", "head"), ("pink", "temporary memory"), ("amber", "tail, from above"))
    for place, (fill, text) in enumerate(legend):
        d.box((left + place * 190, top + height + 122), (14, 14), fill)
        d.text(left + place * 190 + 20, top + height + 134, text)
    return d


def _slanted(d: Drawing, x: float, y: float, text: str) -> None:
    """Text that rises to its end."""
    short = text.replace("DEPTHWISE_CONV_2D", "DEPTHWISE").replace("FULLY_CONNECTED", "FULLY_CON.")
    d.text(x, y, short, anchor="end", size=SMALL, slanted=True)


def arena_tail() -> Drawing:
    """The tail's categories."""
    categories = sorted(allocations().categories, key=lambda c: -c.used_bytes)
    d = Drawing(WIDTH, 70 + 34 * len(categories), "What the tail's bytes are for")
    title = f"{number(allocations().tail)} bytes of tail ({FIRMWARE})"
    d.text(LEFT, 24, title, size=LARGE, bold=True)
    d.text(342, 42, "bytes (how many)", size=SMALL, dim=True)
    scale = 300 / categories[0].used_bytes
    for place, category in enumerate(categories):
        y = 52 + 34 * place
        d.text(330, y + 17, category.name, anchor="end")
        d.box((342, y), (max(category.used_bytes * scale, 2), 24), "amber")
        text = f"{number(category.used_bytes)} ({category.count})"
        d.text(352 + category.used_bytes * scale, y + 17, text)
    return d


FIGURES = (arena_regions, arena_steps, arena_tail)


def figures() -> Iterator[tuple[Path, str]]:
    """Every picture's file and text."""
    return documents(IMAGES, FIGURES)


if __name__ == "__main__":
    for path, text in figures():
        path.write_text(text, encoding="utf-8")
