"""``arenite board``: a model's firmware on an emulated Cortex-M."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arenite.cli.budgets import Flash, Inputs, Least, Ram
from arenite.cli.common import (
    AsJson,
    chosen_target,
    console,
    print_json,
)
from arenite.cli.operators import Ops, load_model

Runs = Annotated[
    int, typer.Option(min=1, metavar="N", help="Inferences that are compared with the reference.")
]

ModelOrFolder = Annotated[
    str, typer.Argument(metavar="MODEL|DIR", help="A .tflite or .mnn file, or an exported folder.")
]
Emulated = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="PROCESSOR",
        help="The core: cortex-m0, -m3, -m4, -m7 or -m33; by default the folder's, or cortex-m4.",
    ),
]


def board(
    model: ModelOrFolder,
    *,
    target: Emulated = None,
    flash: Flash = None,
    ram: Ram = None,
    least: Least = None,
    inputs: Inputs = "overwritten",
    runs: Runs = 4,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Export a model, build it, run it on an emulated Cortex-M and count what runs.

    A folder that was exported is built and run as it stands, and compared by its self-test.

    Example: arenite board model.tflite --runs 20
    """
    from arenite.errors import AreniteError
    from arenite.firmware.trial import trial, trial_facts
    from arenite.report.board import render_trial

    processor = None if target is None else chosen_target(target).processor
    try:
        what = model if Path(model).is_dir() else load_model(model, ops)
        result = trial(what, processor, runs, flash=flash, ram=ram, least=least, inputs=inputs)
    except ValueError as error:
        if isinstance(error, AreniteError) or not (flash or ram or inputs == "rows"):
            raise
        raise typer.BadParameter(str(error)) from None
    if as_json:
        print_json(trial_facts(result))
    else:
        terminal = console()
        for line in render_trial(result, terminal.width):
            terminal.print(line, soft_wrap=True)
    if not result.equal:
        raise typer.Exit(1)
