"""What an exported firmware costs, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.firmware.cost import FirmwareCost
from arenite.model.text import printable
from arenite.report.text import Column, number, table, wrapped

_UNKNOWN = "-"


def render_firmware_cost(cost: FirmwareCost, width: int) -> Iterator[Text]:
    """A row per layer, the total, where figures come from."""
    layers = cost.layers
    yield Text(printable(cost.file), style="bold")
    yield from wrapped(f"{cost.processor}, what arenite export writes", width)
    yield Text()
    instructions = [*(one.instructions for one in layers), cost.instructions]
    cycles = [*(one.cycles for one in layers), cost.cycles]
    yield from table(
        [
            Column("#", [*(str(one.index) for one in layers), ""], "right"),
            Column("layer", [*(one.name for one in layers), "total"], shrink=12),
            Column("function", [*(one.function or "-" for one in layers), ""], keep=1),
            Column("instructions", list(map(_known, instructions)), "right"),
            Column("cycles", list(map(_known, cycles)), "right"),
            Column("figures", [*(one.origin for one in layers), ""]),
        ],
        width,
    )
    yield Text()
    if cost.milliseconds is not None:
        yield Text(f"{cost.milliseconds:,.3g} ms at {cost.clock_mhz:g} MHz")
        yield Text()
    yield from wrapped(_about(cost), width)


def _known(value: int | None) -> str:
    return _UNKNOWN if value is None else number(value)


def _about(cost: FirmwareCost) -> str:
    text = (
        "counted: from the function's own assembly, the instructions that a core runs. emulated: "
        "plain C, or assembly called from it, as zig's clang builds it with -Os. Cycles are an "
        "estimate, for memory that never waits; no board was measured."
    )
    if all(one.origin for one in cost.layers):
        unknown = (
            " There is no estimate of cycles for this processor." if cost.cycles is None else ""
        )
        return text + unknown
    return text + (
        " Layers in C are not known here: they take an emulated core of this processor (cortex-m0, "
        "-m3, -m4, -m7 or -m33), and ziglang and unicorn, the extra board."
    )
