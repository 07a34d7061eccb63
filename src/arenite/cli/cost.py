"""``arenite cost``: what an inference takes on a Cortex-M."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.common import (
    AsJson,
    LibraryName,
    ModelPath,
    console,
    glyph,
    print_json,
)
from arenite.cli.device import BoardName, Clock, TargetName, chosen_device
from arenite.cli.operators import Ops, load_model

if TYPE_CHECKING:
    from arenite import Model
    from arenite.cli.device import Device

OperatorIndex = Annotated[
    int | None,
    typer.Option("--op", min=0, metavar="N", help="Show the loops of operator N."),
]


class CostedLibrary(str, Enum):
    """``--library`` of a cost."""

    tflm = "tflm"
    cmsis_nn = "cmsis_nn"
    arenite = "arenite"


CostLibrary = Annotated[
    CostedLibrary | None,
    typer.Option(
        "--library",
        help="Whose kernels: CMSIS-NN's (the default) or TFLM's own, in TFLM; or those that "
        "arenite export writes.",
    ),
]


def cost(
    model: ModelPath,
    *,
    board: BoardName = None,
    target: TargetName = None,
    library: CostLibrary = None,
    clock: Clock = None,
    op: OperatorIndex = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Estimate instructions and cycles of TFLM on a Cortex-M; with a clock, milliseconds.

    With --library arenite: of what arenite export writes.

    Example: arenite cost model.tflite --target cortex-m7 --clock 216
    """
    from arenite.analysis.model_cost import cost_facts, model_cost
    from arenite.libraries.cmsis_nn.cost.estimate import PROCESSORS
    from arenite.report.cost import render_cost, render_operator_cost

    if library is CostedLibrary.arenite:
        _of_firmware(load_model(model, ops), chosen_device(board, target, clock), op, as_json)
        return
    of = library and LibraryName(library.value)
    device = chosen_device(board, target, clock, library=of)
    meant = device.target
    if meant.processor not in PROCESSORS:
        raise typer.BadParameter(
            f"expected a target of {', '.join(PROCESSORS)}, whose costs are known, "
            f"got {meant.processor!r}",
            param_hint="--target",
        )
    estimate = model_cost(load_model(model, ops), meant, device.clock)
    check_operator(op, len(estimate.operators))
    if as_json:
        facts = cost_facts(estimate)
        print_json(facts if op is None else facts["operators"][op])
        return
    terminal = console()
    device.say(terminal)
    bar = glyph(terminal, "█", "#")
    lines = (
        render_cost(estimate, terminal.width, bar)
        if op is None
        else render_operator_cost(estimate, op, terminal.width, bar)
    )
    for line in lines:
        terminal.print(line, soft_wrap=True)


def check_operator(index: int | None, count: int) -> None:
    """Refuse an operator that the main subgraph does not have, with code 2."""
    if index is not None and index >= count:
        raise typer.BadParameter(
            f"expected an operator from 0 to {count - 1}, got {index}", param_hint="--op"
        )


def _of_firmware(model: Model, device: Device, op: int | None, as_json: bool) -> None:
    from arenite.firmware import firmware_cost, firmware_cost_facts
    from arenite.report.firmware_cost import render_firmware_cost

    estimate = firmware_cost(model, device.target.processor, device.clock)
    check_operator(op, len(estimate.layers))
    if as_json:
        facts = firmware_cost_facts(estimate)
        print_json(facts if op is None else facts["layers"][op])
        return
    if op is not None:
        raise typer.BadParameter("exported layers have no loops to show", param_hint="--op")
    terminal = console()
    device.say(terminal)
    for line in render_firmware_cost(estimate, terminal.width):
        terminal.print(line, soft_wrap=True)
