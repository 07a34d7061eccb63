"""``arenite fit`` and ``arenite boards``: does it fit, and what."""

from __future__ import annotations

from typing import Annotated

import typer

from arenite.cli.common import (
    AsJson,
    Compiler,
    GlueVersion,
    Library,
    LibraryVersion,
    chosen_target,
    console,
    print_json,
)
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import read_bytes, read_megahertz, read_milliseconds
from arenite.cli.wake_words import Manifests, RuntimeOption, are_wake_words, fit_wake_words
from arenite.cores import DEFAULT

ModelPaths = Annotated[
    list[str] | None, typer.Argument(metavar="MODEL...", help="A .tflite or .mnn file, or several.")
]

BoardName = Annotated[
    str | None, typer.Option("--board", metavar="NAME", help="One that arenite boards lists.")
]
Processor = Annotated[
    str | None,
    typer.Option("--target", metavar="PROCESSOR", help=f"The board's by default, else {DEFAULT}."),
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
Clock = Annotated[
    float | None,
    typer.Option(parser=read_megahertz, metavar="MHZ", help="The processor's: 168, 168MHz."),
]


def fit(
    models: ModelPaths = None,
    *,
    board: BoardName = None,
    target: Processor = None,
    library: Library = None,
    library_version: LibraryVersion = None,
    glue_version: GlueVersion = None,
    compiler: Compiler = None,
    ram: Ram = None,
    flash: Flash = None,
    deadline: Deadline = None,
    clock: Clock = None,
    runtime: RuntimeOption = None,
    manifest: Manifests = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a model fits a board: exit code 0 if it does, 1 if not.

    Several models, or --runtime or --manifest: streaming models side by side, as wake words are.

    Example: arenite fit model.tflite --board nucleo-l4r5zi --deadline 100ms
    """
    from arenite.analysis.boards import find_board
    from arenite.analysis.fit import fit as fit_of
    from arenite.analysis.fit import fit_facts
    from arenite.report.fit import render_fit

    names = models or []
    releases = {"library_version": library_version, "glue_version": glue_version}
    limits = {"ram": ram, "flash": flash, "deadline": deadline, "clock": clock}
    is_plain = library is None and not any(limits.values()) and ops is None
    if runtime or manifest or len(names) > 1 or (is_plain and are_wake_words(names, board, target)):
        _refuse_limits(**limits, ops=ops)
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
    try:
        processor = find_board(board).processor if board and not target else target
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--board") from None
    meant = chosen_target(processor or DEFAULT, library=library, compiler=compiler, **releases)
    loaded = load_model(names[0], ops)
    try:
        found = fit_of(loaded, board=board, target=meant, **limits)  # type: ignore[arg-type]
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise typer.BadParameter(str(error)) from None
    if as_json:
        print_json(fit_facts(found))
    else:
        terminal = console()
        for line in render_fit(found, terminal.width):
            terminal.print(line, soft_wrap=True)
    raise typer.Exit(0 if found else 1)


def _refuse_limits(**given: object) -> None:
    """Of several models at once only RAM is looked at, as the board has it."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise typer.BadParameter(f"several models or a manifest are checked without --{named[0]}")


def boards(*, as_json: AsJson = False) -> None:
    """List the boards that arenite fit knows.

    Example: arenite boards --json
    """
    from arenite.analysis.boards import BOARDS
    from arenite.report.fit import render_boards

    if as_json:
        print_json([vars(board) for board in BOARDS])
        return
    terminal = console()
    for line in render_boards(BOARDS, terminal.width):
        terminal.print(line, soft_wrap=True)
