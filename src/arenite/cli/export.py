"""``arenite export``: a model as firmware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arenite.cli.common import AsJson, ModelPath, console, print_json

Folder = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="A new folder, or one exported before."),
]
Name = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="What all names in C begin with; by default the file's."),
]


def export(model: ModelPath, *, output: Folder, name: Name = None, as_json: AsJson = False) -> None:
    """Write a model as C: no interpreter, no heap, one arena, the bits of TFLM.

    Example: arenite export model.tflite -o firmware/model
    """
    from arenite.firmware import export as write
    from arenite.firmware import export_facts
    from arenite.report.export import render_export

    try:
        result = write(model, output, name=name)
    except ValueError as error:
        if name is None:
            raise
        raise typer.BadParameter(str(error), param_hint="--name") from None
    if as_json:
        print_json(export_facts(result))
        return
    terminal = console()
    for line in render_export(result, terminal.width):
        terminal.print(line, soft_wrap=True)
