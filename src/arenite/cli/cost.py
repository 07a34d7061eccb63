"""``arenite cost``: what an inference takes on a Cortex-M."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from arenite.cli.common import AsJson, ModelPath, console, glyph, print_json


class ProcessorName(str, Enum):
    """``--target``."""

    cortex_m4 = "cortex-m4"
    cortex_m7 = "cortex-m7"
    cortex_m55 = "cortex-m55"


Processor = Annotated[
    ProcessorName,
    typer.Option("--target", metavar="PROCESSOR", help="cortex-m4, cortex-m7 or cortex-m55."),
]
Clock = Annotated[
    float, typer.Option(min=0.001, max=100_000, metavar="MHZ", help="The processor's clock.")
]
OperatorIndex = Annotated[
    int | None,
    typer.Option("--op", min=0, metavar="N", help="Show the loops of operator N."),
]


def cost(
    model: ModelPath,
    *,
    target: Processor = ProcessorName.cortex_m4,
    clock: Clock = 100.0,
    op: OperatorIndex = None,
    as_json: AsJson = False,
) -> None:
    """Estimate instructions, cycles and milliseconds of TFLM with CMSIS-NN on a Cortex-M.

    Example: arenite cost model.tflite --target cortex-m7 --clock 216
    """
    from arenite import load
    from arenite.report.cost import cost_facts, model_cost, render_cost, render_operator_cost

    loaded = load(model)
    estimate = model_cost(loaded, target.value, clock)
    check_operator(op, len(estimate.operators))
    if as_json:
        facts = cost_facts(estimate)
        print_json(facts if op is None else facts["operators"][op])
        return
    terminal = console()
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
