"""Costs of ESP-NN's generic C: loops times what a pass of each takes.

``steps.csv`` has instructions, counted in kernels that GCC 12.2 made for rv32imc with ``-O2``
(``tools/measure_esp_nn.py``); softmax as if no value were too small to count. Operators that the
library leaves to TFLM take as many as on a Cortex-M4, since both run plain C; so does the glue in
front of a kernel: 400, between what it takes on a Cortex-M33 and an M0+. An ESP32's instructions
are Xtensa's: its cycles are by those of RISC-V.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path as File

from arenite.cores import CORES, DEFAULT
from arenite.libraries import shapes
from arenite.libraries.costs import Cost, Costs, Error, Line, Loop
from arenite.libraries.esp_nn.cost import loops
from arenite.libraries.esp_nn.dispatch.versions import since
from arenite.libraries.library import library_of
from arenite.libraries.path import Path
from arenite.library_facts import REFERENCE
from arenite.ops.constraints import NodeView
from arenite.target import Target

TABLE = File(__file__).with_name("steps.csv")


def _steps() -> dict[str, dict[tuple[str, str], float]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    releases = [name for name in rows[0] if name not in ("kernel", "loop")]
    return {
        release: {(row["kernel"], row["loop"]): float(row[release]) for row in rows}
        for release in releases
    }


#: Instructions of a pass, by the first release that has such code, and by kernel and loop.
STEPS = _steps()


def _published() -> dict[tuple[str, str], tuple[float, float]]:
    with TABLE.with_name("published.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {
            (row["chip"], row["kernel"]): (float(row["least"]), float(row["most"])) for row in rows
        }


#: Cycles of a product at least and at most, by processor and kind of layer.
PUBLISHED = _published()
#: Whose loops stand for those of TFLM's own kernels.
_PLAIN = Target(DEFAULT, library=REFERENCE)


def loops_of(view: NodeView, path: Path | None, target: Target) -> list[Loop] | None:
    """The loops of an operator; TFLM's own where the library does not do the work."""
    if path is None or not path.is_library:
        return library_of(_PLAIN).costs().loops_of(view, None, _PLAIN)
    return loops.loops_of(view, path.function)


def cost_of(view: NodeView, path: Path | None, target: Target) -> Cost | None:
    """Cost of an operator; None where that is not known."""
    pace = CORES[target.processor].pace
    if path is None or not path.is_library:
        plain = plain_cost(view)
        found = [] if plain is None else [(line.loop, line.instructions) for line in plain.lines]
    else:
        found = list(_counted(view, path.function, target))
    if not found:
        return None
    return Cost(tuple(Line(loop, count, count * pace) for loop, count in found))


def plain_cost(view: NodeView) -> Cost | None:
    """Cost of TFLM's own kernel on a Cortex-M4."""
    return library_of(_PLAIN).costs().cost_of(view, None, _PLAIN)


def _counted(view: NodeView, function: str, target: Target) -> Iterator[tuple[Loop, float]]:
    steps = next(STEPS[release] for release in reversed(STEPS) if since(target, release))
    for loop in loops.loops_of(view, function) or ():
        yield loop, loop.times * steps[loop.function, loop.step]


def span_of(
    view: NodeView, path: Path | None, target: Target, products: int
) -> tuple[float, float] | None:
    """Cycles at least and at most, on chips with kernels of their own.

    What was published of single layers says how long products take. Other kernels with vectors of
    16 bytes are at best 16 times as fast as generic C. Plain C takes one to three cycles an
    instruction.
    """
    if path is None or not path.is_library:
        plain = plain_cost(view)
        return None if plain is None else (plain.instructions, 3.0 * plain.instructions)
    pace = PUBLISHED.get((target.processor, _kind(view)))
    if pace is not None:
        return pace[0] * products, pace[1] * products
    count = sum(n for _, n in _counted(view, loops.generic(path.function), target))
    return (count / 16, 3.0 * count) if count else None


def _kind(view: NodeView) -> str:
    if view.name == "CONV_2D":
        taps = shapes.convolution(view).filter
        return "pointwise" if (taps.h, taps.w) == (1, 1) else "convolution"
    return {"DEPTHWISE_CONV_2D": "depthwise"}.get(view.name, view.name.lower())


def _not_measured(view: NodeView, target: Target) -> Error | None:
    return None


def _no_counts(loops: Iterable[Loop], target: Target) -> Counter[str]:
    return Counter()


def costs() -> Costs:
    """The table's contents, for the chips that run generic C."""
    return Costs(
        processors=tuple(core.name for core in CORES.values() if core.pace),
        complete=(),
        known=f"of generic kernels of int8, and of TFLM's as on a {DEFAULT}",
        loops_of=loops_of,
        cost_of=cost_of,
        error_of=_not_measured,
        instruction_counts=_no_counts,
        span_of=span_of,
    )
