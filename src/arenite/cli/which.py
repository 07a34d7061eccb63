"""``arenite which``: the TFLM, the library and the build that a firmware's numbers come from."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from arenite.cli.common import AsJson, Library, ModelPath, chosen_target, progress_told, show
from arenite.cli.device import TargetName
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import bytes_option

Log = Annotated[
    str | None,
    typer.Argument(
        metavar="[LOG]",
        help="What the firmware printed, with any text around it: arena_used_bytes() or the lines "
        "of RecordingMicroAllocator; - for standard input.",
    ),
]
Used = Annotated[int | None, bytes_option("What arena_used_bytes() gave: 25824 or 25k.")]

#: Of the bar; what most models take.
_STEPS, _SECONDS = 100, 3


def which(
    model: ModelPath,
    log: Log = None,
    *,
    used: Used = None,
    target: TargetName = None,
    library: Library = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Tell from a firmware's log which TFLM, library and build it is.

    Exit code 1 where nothing that is known explains the numbers.

    Example: arenite which model.tflite serial.log
    """
    from arenite.analysis.which.explained import Explained
    from arenite.analysis.which.explained import which as explain
    from arenite.analysis.which.log import LIMIT
    from arenite.report.which import render_which

    if log is None and used is None:
        raise typer.BadParameter("expected a LOG or --used BYTES, got neither")
    if target is not None:
        chosen_target(target, library=library)
    loaded = load_model(model, ops)
    text = sys.stdin.buffer.read(LIMIT + 1) if log == "-" else log
    with progress_told(_SECONDS) as tell:
        found = explain(
            *(loaded, text),
            used=used,
            target=target,
            library=library,
            progress=lambda part: tell("comparing builds", int(part * _STEPS), _STEPS),
        )
    show(found, Explained.to_dict, render_which, as_json=as_json)
    if not found.groups:
        raise typer.Exit(1)
