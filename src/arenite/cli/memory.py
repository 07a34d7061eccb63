"""``arenite memory``: how a model uses its arena, byte by byte."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.common import AsJson, ModelPath, console, print_json, require_other, require_suffix

if TYPE_CHECKING:
    from arenite.report.memory import ArenaUse, Firmware


class PlannerName(str, Enum):
    """``--planner``."""

    greedy = "greedy"
    linear = "linear"


class AbiName(str, Enum):
    """``--abi``."""

    lp64 = "lp64"
    lp64_public = "lp64_public"
    ilp32 = "ilp32"
    ilp32_int_enums = "ilp32_int_enums"
    arm_none_eabi = "arm_none_eabi"


class KernelsName(str, Enum):
    """``--kernels``."""

    reference = "reference"
    cmsis_nn = "cmsis_nn"


class TargetName(str, Enum):
    """``--target``."""

    cortex_m0 = "cortex-m0"
    cortex_m3 = "cortex-m3"
    cortex_m4 = "cortex-m4"
    cortex_m7 = "cortex-m7"
    cortex_m33 = "cortex-m33"
    cortex_m55 = "cortex-m55"


ArenaSize = Annotated[
    int | None,
    typer.Option(min=0, metavar="BYTES", help="Size of the arena; by default the smallest."),
]
Planner = Annotated[PlannerName, typer.Option(help="TFLM's planner, or one that shares no memory.")]
StructSizes = Annotated[
    AbiName | None,
    typer.Option(
        metavar="ABI",
        help="Whose structs count: lp64 (64 bits, as TFLM's Python package is built; "
        "the default), lp64_public (64 bits, TFLM's public sources), ilp32 (Cortex-M with Arm "
        "GCC, arm_none_eabi is the same; the default with cmsis_nn or a target) or "
        "ilp32_int_enums (32 bits, enums of 4 bytes).",
    ),
]
Kernels = Annotated[KernelsName, typer.Option(help="TFLM's kernels, or those with CMSIS-NN.")]
Target = Annotated[
    TargetName | None,
    typer.Option(
        metavar="PROCESSOR",
        help="What CMSIS-NN is built for: cortex-m0, -m3, -m4 (the default), -m7, -m33 or -m55. "
        "TFLM's own kernels take the same on all.",
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
    abi: StructSizes = None,
    kernels: Kernels = KernelsName.reference,
    target: Target = None,
    svg: SvgFile = None,
    as_json: AsJson = False,
) -> None:
    """Show how a model uses its arena, draw the plan, find the smallest arena.

    Example: arenite memory model.tflite --kernels cmsis_nn --target cortex-m7 --svg plan.svg
    """
    from arenite.files import replacing
    from arenite.report.memory import Firmware, arena_facts, render_arena
    from arenite.report.memory_svg import memory_svg
    from arenite.runtime.allocation import find_abi
    from arenite.runtime.backends import DEFAULT_TARGET

    require_suffix(svg, ".svg", "--svg")
    require_other(svg, "--svg", [Path(model)])
    processor = target.value if target else None
    structs = find_abi(abi.value if abi else None, kernels.value, processor).name
    if kernels is KernelsName.cmsis_nn:
        firmware = Firmware(planner.value, structs, "cmsis_nn", processor or DEFAULT_TARGET)
    else:
        firmware = Firmware(planner.value, structs)
    use = _allocate(model, arena, firmware, as_json=as_json)
    if svg:
        title = f"{Path(model).name}: {use.plan.head:,} bytes of head, {planner.value} planner"
        with replacing(svg) as file:
            file.write(memory_svg(use.head_buffers, title).encode("utf-8", "backslashreplace"))
    if as_json:
        print_json(arena_facts(use))
        return
    terminal = console()
    ascii_only = terminal.options.ascii_only
    for line in render_arena(use, terminal.width, ascii_only=ascii_only):
        terminal.print(line, soft_wrap=True)


def _allocate(model: str, arena: int | None, firmware: Firmware, *, as_json: bool) -> ArenaUse:
    from arenite import AllOpsResolver, ArenaError, MicroInterpreter, load
    from arenite.report.memory import ArenaUse, small_arena_facts
    from arenite.runtime.allocation import arena_peak

    loaded, resolver = load(model), AllOpsResolver()
    options: dict[str, Any] = {
        "planner": firmware.planner,
        "abi": firmware.abi,
        "kernels": firmware.kernels,
        "target": firmware.target,
    }
    peak = arena_peak(loaded, resolver, **options)
    size = peak.smallest_arena if arena is None else arena
    try:
        micro = MicroInterpreter(loaded, resolver, size, **options)
        micro.allocate_tensors()
    except ArenaError:
        if as_json:
            print_json(small_arena_facts(model, firmware, size, peak))
        raise
    return ArenaUse(model, firmware, size, micro.plan, micro.allocations())
