"""``arenite export``: a model as firmware."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arenite.cli.budgets import LimitOptions
from arenite.cli.common import (
    NOT_VERIFIED,
    AsJson,
    ModelPath,
    StructSizes,
    note,
    show,
    usage_errors,
    warn,
)
from arenite.cli.device import BoardName, chosen_device, complete_targets, no_revision
from arenite.cli.emulation import SECONDS, Timeout, emulating
from arenite.cli.operators import Ops, load_model
from arenite.cores import DEFAULT, devices, listed

if TYPE_CHECKING:
    from arenite import Model
    from arenite.analysis.devices import Device

Folder = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="A new folder, or one exported before."),
]
_IN_ASSEMBLY = ("cortex_m0", "cortex_m")
_ASSEMBLED = listed(core for core in devices() if core.kernels in _IN_ASSEMBLY)
ExportTarget = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="PROCESSOR",
        autocompletion=complete_targets,
        help=f"{_ASSEMBLED} for kernels in assembly; host (or any other) for plain C. By default "
        f"the board's, or {DEFAULT}.",
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


#: What follows, where no device was named.
_SHOWN = "this is firmware for"


FirmwareLibrary = Literal["arenite", "tflm"]
ExportLibrary = Annotated[
    FirmwareLibrary,
    typer.Option(help="Arenite's own kernels, or a folder for a firmware with TFLM."),
]


NoRevision = Annotated[
    str | None,
    no_revision("what is exported runs without TFLM, or with the one of your firmware"),
]


def export(
    model: ModelPath,
    *,
    output: Folder,
    board: BoardName = None,
    target: ExportTarget = None,
    library: ExportLibrary = "arenite",
    abi: StructSizes = None,
    name: Name = None,
    limits: LimitOptions,
    emulate: Emulate = True,
    timeout: Timeout = SECONDS,
    tflm_version: NoRevision = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Write a model as C and assembly: no interpreter, no heap, one arena, the bits of TFLM.

    With --library tflm, for a firmware with TFLM: array, resolver, arena size, main.cc, self-test.

    Example: arenite export model.tflite -o firmware/model
    """
    from arenite.firmware import export as write
    from arenite.firmware import export_facts
    from arenite.firmware.device import Limits
    from arenite.report.export import render_export

    if abi is not None and library != "tflm":
        raise typer.BadParameter("structs are TFLM's: expected --library tflm", param_hint="--abi")
    chosen_device(board, target, abi=abi)  # refused before a model is read
    loaded = load_model(model, ops)
    device = chosen_device(board, target, model=loaded, abi=abi)
    if library == "tflm":
        _for_tflm(loaded, output, device, name, as_json=as_json)
        return
    shown = emulating(device.target.processor)
    with usage_errors(bool(name) or limits.may_be_missed), shown as tell:
        result = write(
            loaded,
            output,
            target=device.target,
            name=name,
            emulate=emulate,
            limits=Limits(seconds=timeout, tell=tell),
            **limits.on(device.board),
        )
    _warn_of(result.kept)
    words = device.note(_SHOWN, device.target.processor)
    show(result, export_facts, render_export, words, as_json=as_json)
    if result.not_verified and not as_json:
        note("--timeout allows a call more time, --no-emulate leaves the figures out.")
    if result.not_verified:
        raise typer.Exit(NOT_VERIFIED)


def _for_tflm(
    model: Model, output: Path, device: Device, name: str | None, *, as_json: bool
) -> None:
    from arenite.firmware import export_tflm, tflm_facts
    from arenite.report.export import render_tflm

    with usage_errors(name is not None):
        result = export_tflm(model, output, target=device.target, name=name)
    _warn_of(result.kept)
    show(result, tflm_facts, render_tflm, device.note(_SHOWN), as_json=as_json)


def _warn_of(kept: Sequence[str]) -> None:
    """Say which files the user has changed, and keeps."""
    for path in kept:
        warn(
            f"{path} was changed since it was exported and stays as it is; move it away and export "
            "again for the new one"
        )
