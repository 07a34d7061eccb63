"""``arenite export``: a model as firmware."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.budgets import Flash, Inputs, Least, Ram
from arenite.cli.common import AsJson, ModelPath, chosen_target, console, print_json
from arenite.cli.operators import Ops, load_model

if TYPE_CHECKING:
    from arenite import Model, Target

Folder = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="A new folder, or one exported before."),
]
ExportTarget = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="PROCESSOR",
        help="cortex-m4, -m7 or -m33 for kernels in assembly; host (or any other) for plain C.",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="What all names in C begin with; by default the file's."),
]

Emulate = Annotated[
    bool,
    typer.Option(
        help="Run it on an emulated core for its instructions, cycles, code and stack, where the "
        "extra board is installed and there is such a core."
    ),
]


class FirmwareLibrary(str, Enum):
    """``--library`` of what is exported."""

    arenite = "arenite"
    tflm = "tflm"


ExportLibrary = Annotated[
    FirmwareLibrary,
    typer.Option(help="Arenite's own kernels, or a folder for a firmware with TFLM."),
]


def export(
    model: ModelPath,
    *,
    output: Folder,
    target: ExportTarget = "cortex-m4",
    library: ExportLibrary = FirmwareLibrary.arenite,
    name: Name = None,
    flash: Flash = None,
    ram: Ram = None,
    least: Least = None,
    inputs: Inputs = "overwritten",
    emulate: Emulate = True,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Write a model as C and assembly: no interpreter, no heap, one arena, the bits of TFLM.

    With --library tflm, for a firmware with TFLM: array, resolver, arena size, main.cc, self-test.

    Example: arenite export model.tflite -o firmware/model
    """
    from arenite.errors import AreniteError
    from arenite.firmware import export as write
    from arenite.firmware import export_facts
    from arenite.report.export import render_export

    meant = chosen_target(target)
    loaded = load_model(model, ops)
    if library is FirmwareLibrary.tflm:
        _for_tflm(loaded, output, meant, name, as_json=as_json)
        return
    try:
        result = write(
            loaded,
            output,
            target=meant,
            name=name,
            flash=flash,
            ram=ram,
            least=least,
            inputs=inputs,
            emulate=emulate,
        )
    except ValueError as error:
        if isinstance(error, AreniteError) or not (name or flash or ram or inputs == "rows"):
            raise
        raise typer.BadParameter(str(error)) from None
    if as_json:
        print_json(export_facts(result))
        return
    terminal = console()
    for line in render_export(result, terminal.width):
        terminal.print(line, soft_wrap=True)


def _for_tflm(
    model: Model, output: Path, target: Target, name: str | None, *, as_json: bool
) -> None:
    from arenite.errors import AreniteError
    from arenite.firmware import export_tflm, tflm_facts
    from arenite.report.export import render_tflm

    try:
        result = export_tflm(model, output, target=target, name=name)
    except ValueError as error:
        if isinstance(error, AreniteError) or name is None:
            raise
        raise typer.BadParameter(str(error)) from None
    if as_json:
        print_json(tflm_facts(result))
        return
    terminal = console()
    for line in render_tflm(result, terminal.width):
        terminal.print(line, soft_wrap=True)
