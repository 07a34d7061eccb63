"""Cost of an exported firmware, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.cores import emulated, listed
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
    rest = cost.rest
    yield from table(
        [
            Column("#", [*(str(one.index) for one in layers), "", ""], "right"),
            Column("layer", [*(one.name for one in layers), "the rest", "total"], shrink=12),
            Column("function", [*(one.function or "-" for one in layers), "", ""], keep=1),
            *(() if cost.is_steady else _first(cost)),
            Column(
                "instructions",
                _numbers([*(one.instructions for one in layers), rest[2], cost.instructions]),
                "right",
            ),
            Column(
                "cycles", _numbers([*(one.cycles for one in layers), rest[3], cost.cycles]), "right"
            ),
            Column("figures", [*(one.origin for one in layers), "", ""]),
        ],
        width,
    )
    yield Text()
    if cost.clock_mhz is not None:
        time = cost.time
        yield from wrapped(f"{time.amount} at {cost.clock_mhz:g} MHz: {time.note}", width)
        yield Text()
    yield from wrapped(_about(cost), width)


def _first(cost: FirmwareCost) -> Iterator[Column]:
    """Columns of the first inference."""
    layers, rest = cost.layers, cost.rest
    counts = [*(one.first_instructions for one in layers), rest[0], cost.first_instructions]
    yield Column("first time", _numbers(counts), "right")
    cycles = [*(one.first_cycles for one in layers), rest[1], cost.first_cycles]
    yield Column("cycles", _numbers(cycles), "right")


def _numbers(values: Sequence[int | None]) -> list[str]:
    return list(map(_known, values))


def _known(value: int | None) -> str:
    return _UNKNOWN if value is None else number(value)


def _about(cost: FirmwareCost) -> str:
    text = (
        "counted: from the function's own assembly, the instructions that a core runs. emulated: "
        "plain C, or assembly called from it, as zig's clang builds it with -Os. Cycles are an "
        "estimate without waits for flash; no board was measured. The rest is what is between "
        "layers, less what tells of those that were emulated."
    )
    if not cost.is_steady:
        text += (
            " The first inference runs what runs once (CALL_ONCE): its figures are those of the "
            "first time."
        )
    if all(one.origin for one in cost.layers):
        unknown = (
            " There is no estimate of cycles for this processor." if cost.cycles is None else ""
        )
        return text + unknown
    return text + (
        " Layers in C are not known here: they take an emulated core of this processor "
        f"({listed(one for one in emulated() if one.unicorn)}), and ziglang and unicorn, "
        "the extra board."
    )
