"""``arenite board``: a model's firmware on an emulated Cortex-M."""

from __future__ import annotations

from typing import Annotated

import typer

from arenite.cli.common import (
    AsJson,
    ModelPath,
    Processor,
    chosen_target,
    console,
    print_json,
)
from arenite.cli.quantity import read_bytes

Runs = Annotated[
    int, typer.Option(min=1, metavar="N", help="Inferences that are compared with the reference.")
]

#: As of ``arenite export``.
Flash = Annotated[
    int | None,
    typer.Option(parser=read_bytes, metavar="BYTES", help="What constants may take, such as 200k."),
]


def board(
    model: ModelPath,
    *,
    target: Processor = "cortex-m4",
    flash: Flash = None,
    runs: Runs = 4,
    as_json: AsJson = False,
) -> None:
    """Export a model, build it, run it on an emulated Cortex-M and count what runs.

    Example: arenite board model.tflite --runs 20
    """
    from arenite.firmware.trial import trial, trial_facts
    from arenite.report.board import render_trial

    result = trial(model, chosen_target(target).processor, runs, flash=flash)
    if as_json:
        print_json(trial_facts(result))
    else:
        terminal = console()
        for line in render_trial(result, terminal.width):
            terminal.print(line, soft_wrap=True)
    if not result.equal:
        raise typer.Exit(1)
