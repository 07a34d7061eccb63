"""``arenite memory``: how a model uses its arena, byte by byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from arenite.cli.common import (
    AsJson,
    ModelPath,
    is_ascii,
    print_json,
    progress_told,
    require_other,
    require_suffix,
    show,
)
from arenite.cli.device import MEMORY, DeviceOptions
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import bytes_option, read_bytes

if TYPE_CHECKING:
    from rich.text import Text

    from arenite import Model
    from arenite.analysis.arena_use import ArenaUse, Firmware
    from arenite.analysis.head_plans import HeadPlans, PassWin
    from arenite.analysis.splits import Ram, Split


#: Of the bar while the best plan is looked for.
_STEPS = 100


PlannerName = Literal["greedy", "linear", "optimal"]
ArenaSize = Annotated[
    int | None, bytes_option("Size of the arena, such as 98304 or 96k; by default the smallest.")
]
Planner = Annotated[
    PlannerName,
    typer.Option(help="TFLM's planner, one that shares no memory, or the lowest plan there is."),
]
Passes = Annotated[
    bool, typer.Option("--passes", help="Say what every pass of arenite optimize would win.")
]
Splits = Annotated[
    str | None,
    typer.Option(
        metavar="FAST=BYTES,SLOW=BYTES",
        help="A board's two memories, such as sram=256k,psram=8m: what lies where for least "
        "traffic to the slow one.",
    ),
]
SvgFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the map to this .svg file.")
]


def memory(
    model: ModelPath,
    *,
    arena: ArenaSize = None,
    planner: Planner = "greedy",
    firmware: Annotated[DeviceOptions, MEMORY],
    svg: SvgFile = None,
    passes: Passes = False,
    splits: Splits = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Show how a model uses its arena, draw the plan, find the smallest arena.

    Example: arenite memory model.tflite --target cortex-m7 --svg plan.svg
    """
    from arenite.analysis.arena_use import Firmware
    from arenite.analysis.head_plans import head_plans, pass_wins
    from arenite.analysis.splits import split
    from arenite.files import replace_file
    from arenite.report.memory_svg import memory_svg

    rams = None if splits is None else _rams(splits)
    require_suffix(svg, ".svg", "--svg")
    require_other(svg, "--svg", [Path(model)])
    firmware.check()
    loaded = load_model(model, ops)
    device = firmware.chosen(None, loaded)
    meant = device.target
    with search_bar() as told:
        plans = head_plans(loaded, meant, told)
    use = _allocate(loaded, arena, Firmware(planner, meant), as_json=as_json)
    found = _Found(
        loaded,
        use,
        plans,
        wins=pass_wins(loaded, meant) if passes else None,
        split=split(loaded, meant, planner, rams) if rams else None,
    )
    if svg:
        title = f"{Path(model).name}: {use.plan.head:,} bytes of head, {planner} planner"
        replace_file(svg, memory_svg(use.head_buffers, title))
    show(found, _facts, _lines, device.note(), as_json=as_json)


class _Found(NamedTuple):
    """All that is known of a model's memory."""

    model: Model
    use: ArenaUse
    plans: HeadPlans
    wins: list[PassWin] | None
    split: Split | None


def _facts(found: _Found) -> dict[str, Any]:
    from arenite.analysis.arena_use import arena_facts
    from arenite.analysis.ethos_u import scratch_facts
    from arenite.analysis.head_plans import plan_facts
    from arenite.analysis.splits import split_facts

    facts: dict[str, Any] = {}
    if found.split is not None:
        facts["splits"] = split_facts(found.split)
    if npu := scratch_facts(found.model):
        facts["npu"] = npu
    return {**arena_facts(found.use), **plan_facts(found.plans, found.wins), **facts}


def _lines(found: _Found, width: int) -> Iterator[Text]:
    from rich.text import Text

    from arenite.report.ethos_u import render_scratch
    from arenite.report.memory import render_arena
    from arenite.report.splits import render_split

    yield from render_arena(found.use, found.plans, found.wins, width, ascii_only=is_ascii())
    if found.split is not None:
        yield Text()
        yield from render_split(found.split, width)
    yield from render_scratch(found.model, width)


def _rams(text: str) -> tuple[Ram, Ram]:
    """``sram=256k,psram=8m``: two memories, the fast one first."""
    from arenite.analysis.splits import Ram

    rams = []
    for part in text.split(","):
        name, equals, size = part.partition("=")
        if not name.strip() or not equals:
            raise typer.BadParameter(
                f"expected two memories such as sram=256k,psram=8m, got {text!r}",
                param_hint="--splits",
            )
        try:
            rams.append(Ram(name.strip(), read_bytes(size)))
        except typer.BadParameter as error:
            raise typer.BadParameter(error.message, param_hint="--splits") from None
    if len(rams) != 2 or rams[0].name == rams[1].name:
        raise typer.BadParameter(
            f"expected two memories such as sram=256k,psram=8m, got {text!r}", param_hint="--splits"
        )
    return rams[0], rams[1]


@contextmanager
def search_bar() -> Iterator[Callable[[int, int, int], None] | None]:
    """A bar for a search that may go on until its time is up; on a terminal only."""
    from arenite.memory.optimal import SECONDS

    start = thread_time()
    with progress_told(SECONDS) as tell:

        def told(height: int, bound: int, nodes: int) -> None:
            tell("planning", int(min((thread_time() - start) / SECONDS, 1) * _STEPS), _STEPS)

        yield told


def _allocate(model: Model, size: int | None, firmware: Firmware, *, as_json: bool) -> ArenaUse:
    from arenite import ArenaError
    from arenite.analysis.arena_use import arena_use, needed_by, small_arena_facts

    peak = needed_by(model, firmware)
    size = peak.smallest_arena if size is None else size
    try:
        return arena_use(model, firmware, size)
    except ArenaError:
        if as_json:
            print_json(small_arena_facts(model.source, firmware, size, peak))
        raise
