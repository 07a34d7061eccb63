"""``arenite memory``: how a model uses its arena, byte by byte."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.common import AsJson, ModelPath, console, print_json

if TYPE_CHECKING:
    from arenite.memory.abi import Abi
    from arenite.report.memory import ArenaUse


class PlannerName(str, Enum):
    """``--planner``."""

    greedy = "greedy"
    linear = "linear"


class AbiName(str, Enum):
    """``--abi``."""

    lp64 = "lp64"
    ilp32 = "ilp32"
    ilp32_int_enums = "ilp32_int_enums"
    arm_none_eabi = "arm_none_eabi"
    tflite_micro = "tflite_micro"


ArenaSize = Annotated[
    int | None,
    typer.Option(min=0, metavar="BYTES", help="Size of the arena; by default the smallest."),
]
Planner = Annotated[PlannerName, typer.Option(help="TFLM's planner, or one that shares no memory.")]
Target = Annotated[
    AbiName,
    typer.Option(
        metavar="ABI",
        help="The target whose structs count: lp64 (64-bit host), ilp32 (32 bits), "
        "arm_none_eabi (Cortex-M, Arm GCC) or tflite_micro (TFLM's Python package).",
    ),
]
SvgFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the map to this .svg file.")
]


def memory(
    model: ModelPath,
    *,
    arena: ArenaSize = None,
    planner: Planner = PlannerName.greedy,
    abi: Target = AbiName.lp64,
    svg: SvgFile = None,
    as_json: AsJson = False,
) -> None:
    """Show how a model uses its arena, draw the plan, find the smallest arena.

    Example: arenite memory model.tflite --abi arm_none_eabi --svg plan.svg
    """
    from arenite.memory.abi import ABIS
    from arenite.report.memory import arena_facts, render_arena
    from arenite.report.memory_svg import memory_svg

    use = _allocate(model, arena, planner.value, ABIS[abi.value], as_json=as_json)
    if svg:
        title = f"{Path(model).name}: {use.plan.head:,} bytes of head, {planner.value} planner"
        svg.write_text(memory_svg(use.head_buffers, title), "utf-8")
    if as_json:
        print_json(arena_facts(use))
        return
    terminal = console()
    ascii_only = terminal.options.ascii_only
    for line in render_arena(use, terminal.width, ascii_only=ascii_only):
        terminal.print(line, soft_wrap=True)


def _allocate(model: str, arena: int | None, planner: str, abi: Abi, *, as_json: bool) -> ArenaUse:
    from arenite import AllOpsResolver, ArenaError, MicroInterpreter, load, smallest_arena
    from arenite.report.memory import ArenaUse, small_arena_facts

    loaded, resolver = load(model), AllOpsResolver()
    smallest = smallest_arena(loaded, resolver, planner=planner, abi=abi)
    size = smallest if arena is None else arena
    try:
        micro = MicroInterpreter(loaded, resolver, size, planner=planner, abi=abi)
        micro.allocate_tensors()
    except ArenaError:
        if as_json:
            print_json(small_arena_facts(model, planner, abi.name, size, smallest))
        raise
    return ArenaUse(model, abi.name, size, smallest, micro.plan, micro.allocations())
