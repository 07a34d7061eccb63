"""``arenite fit`` and ``arenite boards``: does it fit, and what."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.common import (
    AsJson,
    Compiler,
    GlueVersion,
    Library,
    LibraryVersion,
    StructSizes,
    console,
    print_json,
)
from arenite.cli.device import (
    BoardName,
    Clock,
    CmsisNnVersion,
    TargetName,
    TflmVersion,
    chosen_device,
)
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import read_bytes, read_milliseconds
from arenite.cli.wake_words import Manifests, RuntimeOption, are_wake_words, fit_wake_words

if TYPE_CHECKING:
    from arenite.analysis.fit import Fit
    from arenite.model import Model
ModelPaths = Annotated[
    list[str] | None, typer.Argument(metavar="MODEL...", help="A .tflite or .mnn file, or several.")
]
Ram = Annotated[
    int | None,
    typer.Option("--ram", parser=read_bytes, metavar="BYTES", help="The limit: 98304 or 96k."),
]
Flash = Annotated[
    int | None,
    typer.Option("--flash", parser=read_bytes, metavar="BYTES", help="The limit: 512k, 1M."),
]
Deadline = Annotated[
    float | None,
    typer.Option(
        parser=read_milliseconds, metavar="MS", help="The limit of an inference: 50ms, 1.5s."
    ),
]
Bank = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The board's bank of RAM for the arena; else the largest."),
]


class FormatName(str, Enum):
    """``--format``."""

    text = "text"
    json = "json"
    github = "github"


Format = Annotated[
    FormatName | None,
    typer.Option(
        "--format",
        help="How to print it: text, json (as --json), or github: an annotation of a workflow, "
        "and a table in its summary.",
    ),
]


def _share(text: str | float) -> float:
    """``20%`` or ``0.2``."""
    try:
        words = str(text).strip()
        value = float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        value = -1
    if not 0 <= value <= 10:
        raise typer.BadParameter(f"expected a share such as 20% or 0.2, got {text!r}")
    return value


Margin = Annotated[
    float | None,
    typer.Option(
        parser=_share,
        metavar="SHARE",
        help="By how much the time may be off, such as 20%; by default as published boards show.",
    ),
]


Exported = Annotated[
    bool,
    typer.Option(
        "--export",
        help="Say as well what arenite export would write: its RAM, flash and time, built and run "
        "where the extra board is installed.",
    ),
]


def fit(
    models: ModelPaths = None,
    *,
    board: BoardName = None,
    target: TargetName = None,
    tflm_version: TflmVersion = None,
    cmsis_nn_version: CmsisNnVersion = None,
    library: Library = None,
    library_version: LibraryVersion = None,
    glue_version: GlueVersion = None,
    compiler: Compiler = None,
    abi: StructSizes = None,
    ram: Ram = None,
    flash: Flash = None,
    deadline: Deadline = None,
    clock: Clock = None,
    bank: Bank = None,
    margin: Margin = None,
    runtime: RuntimeOption = None,
    manifest: Manifests = None,
    exported: Exported = False,
    ops: Ops = None,
    as_json: AsJson = False,
    how: Format = None,
) -> None:
    """Say whether a model fits a board; without a board, which boards it fits.

    Exit code 0: it fits. 1: it does not. 3: not known, or the limit lies within what the estimate
    may be off. 2: wrong usage.

    Several models, or --runtime or --manifest: streaming models side by side, as wake words are.

    Example: arenite fit model.tflite --board nucleo-l4r5zi --deadline 100ms
    """
    from arenite.analysis.fit import EXIT_CODES, fit_facts
    from arenite.analysis.fit import fit as fit_of
    from arenite.firmware.size import firmware_size, size_facts
    from arenite.report.fit import render_fit

    as_json = as_json or how is FormatName.json
    names = models or []
    releases = {
        "tflm": tflm_version,
        "cmsis_nn": cmsis_nn_version,
        "library_version": library_version,
        "glue_version": glue_version,
    }
    limits: dict[str, Any] = {"ram": ram, "flash": flash, "deadline": deadline, "bank": bank}
    is_plain = library is None and not any((*limits.values(), clock)) and ops is None
    if runtime or manifest or len(names) > 1 or (is_plain and are_wake_words(names, board, target)):
        _refuse_limits(**limits, clock=clock, ops=ops)
        fit_wake_words(
            names,
            manifest or [],
            board=board,
            target=target,
            as_json=as_json,
            library=library,
            compiler=compiler,
            **releases,
        )
    if not names:
        raise typer.BadParameter("expected a model, or --manifest")
    device = chosen_device(
        board, target, clock, library=library, compiler=compiler, abi=abi, **releases
    )
    loaded = load_model(names[0], ops)
    if not (board or target or clock) and ram is flash is None:
        _all_boards(loaded, deadline, as_json=as_json)
    try:
        found = fit_of(
            loaded,
            board=device.board,
            target=device.target,
            clock=device.clock,
            margin=margin,
            **limits,
        )
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise typer.BadParameter(str(error)) from None
    size = firmware_size(loaded, device.target) if exported else None
    if as_json:
        more = {} if size is None else {"export": size_facts(size, found.clock)}
        print_json({**fit_facts(found), **more})
    elif how is FormatName.github:
        _for_github(found)
    else:
        terminal = console()
        device.say(terminal)
        for line in render_fit(found, terminal.width, size):
            terminal.print(line, soft_wrap=True)
    raise typer.Exit(EXIT_CODES[found.outcome])


def _for_github(found: Fit) -> None:
    """An annotation, and a table where the workflow's summary is."""
    from arenite.report.github import annotation, summary

    typer.echo(annotation(found))
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if file:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as out:
            out.writelines(f"{line}\n" for line in summary(found))


def _all_boards(model: Model, deadline: float | None, *, as_json: bool) -> None:
    """A table over all boards; ends the command."""
    from arenite.analysis.fit import EXIT_CODES, fit_all, fit_facts, worst
    from arenite.report.fit import render_fits

    found = fit_all(model, deadline=deadline)
    if as_json:
        print_json([fit_facts(one) for one in found])
    else:
        terminal = console()
        for line in render_fits(found, model.source, terminal.width):
            terminal.print(line, soft_wrap=True)
    raise typer.Exit(EXIT_CODES[worst(found)])


def _refuse_limits(**given: object) -> None:
    """Of several models at once only RAM is looked at, as the board has it."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise typer.BadParameter(f"several models or a manifest are checked without --{named[0]}")


def boards(*, as_json: AsJson = False) -> None:
    """List the boards that every command knows.

    Example: arenite boards --json
    """
    from arenite.boards import boards as known
    from arenite.boards.board import board_facts
    from arenite.report.fit import render_boards

    if as_json:
        print_json([board_facts(board) for board in known()])
        return
    terminal = console()
    for line in render_boards(known(), terminal.width):
        terminal.print(line, soft_wrap=True)
