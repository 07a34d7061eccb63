"""``arenite fit`` and ``arenite boards``: does it fit, and what."""

from __future__ import annotations

import os
import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from arenite.cli.common import AsJson, show, usage_errors
from arenite.cli.device import RELEASES, Clock, DeviceOptions
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import bytes_option, deadline_option, read_share
from arenite.cli.wake_words import Manifests, RuntimeOption, fit_wake_words, wake_word_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from arenite.analysis.devices import Device
    from arenite.analysis.fit import Fit
    from arenite.analysis.wake_words import WakeWords
    from arenite.errors import RefusedError
    from arenite.firmware.size import FirmwareSize
    from arenite.model import Model

ModelPaths = Annotated[
    list[str] | None, typer.Argument(metavar="MODEL...", help="A .tflite or .mnn file, or several.")
]
Ram = Annotated[int | None, bytes_option("The limit: 98304 or 96k.", "--ram")]
Flash = Annotated[int | None, bytes_option("The limit: 512k, 1M.", "--flash")]
Deadline = Annotated[float | None, deadline_option("The limit of an inference: 50ms, 1.5s.")]
Bank = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The board's bank of RAM for the arena; else the largest."),
]


FormatName = Literal["text", "json", "github"]
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
    return read_share(text, 10, "20% or 0.2")


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


@dataclass(frozen=True)
class LimitOptions:
    """The options that say what a model may take."""

    ram: Ram = None
    flash: Flash = None
    deadline: Deadline = None
    clock: Clock = None
    bank: Bank = None


def fit(
    models: ModelPaths = None,
    *,
    firmware: Annotated[DeviceOptions, RELEASES],
    limits: LimitOptions,
    margin: Margin = None,
    runtime: RuntimeOption = None,
    manifest: Manifests = None,
    exported: Exported = False,
    ops: Ops = None,
    as_json: AsJson = False,
    how: Format = None,
) -> None:
    """Say whether a model fits a board; without a board, which boards it fits.

    Exit code 0: it fits. 1: it does not, or TFLM does not run it. 3: not known, or the limit lies
    within what the estimate may be off. 2: wrong usage.

    Several models, or --runtime or --manifest: streaming models side by side, as wake words are.

    Example: arenite fit model.tflite --board nucleo-l4r5zi --deadline 100ms
    """
    how = "json" if as_json else how
    names, given = models or [], asdict(limits)
    if runtime or manifest or len(names) > 1:
        _refuse_limits(**given, ops=ops)
        fit_wake_words(names, manifest or [], firmware, as_json=how == "json")
    if not names:
        raise typer.BadParameter("expected a model, or --manifest")
    firmware.check()
    loaded = load_model(names[0], ops)
    device = replace(firmware, clock=limits.clock).chosen(model=loaded)
    is_limited = limits.clock or limits.ram is not None or limits.flash is not None
    from arenite.errors import RefusedError

    try:
        if not (firmware.board or firmware.target or firmware.sdk or is_limited):
            _all_boards(loaded, limits.deadline, as_json=how == "json")
        _fit(loaded, device, {**given, "clock": device.clock, "margin": margin}, how, exported)
    except RefusedError as error:
        _does_not_run(loaded.source, error, how)


def _fit(
    model: Model, device: Device, limits: dict[str, Any], how: FormatName | None, exported: bool
) -> NoReturn:
    """One model on one device; ends the command."""
    from arenite.analysis.fit import EXIT_CODES
    from arenite.analysis.fit import fit as fit_of
    from arenite.errors import UndefinedWarning
    from arenite.firmware.size import firmware_size

    word = wake_word_of(model, device)
    with usage_errors(), warnings.catch_warnings():
        if word is not None:  # its report says them
            warnings.simplefilter("ignore", UndefinedWarning)
        found = fit_of(model, board=device.board, target=device.target, **limits)
    if how == "github":
        _for_github(found)
    else:
        size = firmware_size(model, device.target, device.board) if exported else None
        _show(found, size, word, device.note(), as_json=how == "json")
    raise typer.Exit(EXIT_CODES[found.outcome])


def _does_not_run(file: str, error: RefusedError, how: FormatName | None) -> NoReturn:
    """The verdict on a model that TFLM refuses; ends the command."""
    from arenite.report.fit import render_refused
    from arenite.report.github import refused_annotation

    facts = {
        "file": file,
        "outcome": "computes nonsense" if error.computes_nonsense else "does not run",
        "reason": error.verdict,
        "remedy": error.remedy,
    }
    if how == "github":
        typer.echo(refused_annotation(file, error))
    else:
        show(
            error,
            lambda _: facts,
            lambda error, width: render_refused(file, error, width),
            as_json=how == "json",
        )
    raise typer.Exit(1)


def _show(
    found: Fit, size: FirmwareSize | None, word: WakeWords | None, note: str, *, as_json: bool
) -> None:
    """The fit, what an export takes where that was asked for, and what a wake word's program."""
    from rich.text import Text

    from arenite.analysis.fit import fit_facts
    from arenite.analysis.wake_words import wake_word_facts
    from arenite.firmware.size import size_facts
    from arenite.report.fit import render_fit
    from arenite.report.wake_words import render_word

    def facts(fit: Fit) -> dict[str, Any]:
        more = {} if size is None else {"export": size_facts(size, found)}
        more |= {} if word is None else {"wake_word": wake_word_facts(word)}
        return fit_facts(fit) | more

    def lines(fit: Fit, width: int) -> Iterator[Text]:
        yield from render_fit(fit, width, size)
        for one in () if word is None else word.words:
            yield from (Text(), *render_word(one, width))

    show(found, facts, lines, note, as_json=as_json)


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

    def lines(found: list[Fit], width: int) -> Iterator[Text]:
        return render_fits(found, model.source, width)

    show(found, lambda found: [*map(fit_facts, found)], lines, as_json=as_json)
    raise typer.Exit(EXIT_CODES[worst(found)])


def _refuse_limits(**given: object) -> None:
    """Refuse limits for several models at once, of which only the board's RAM is looked at."""
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

    show(known(), lambda boards: [*map(board_facts, boards)], render_boards, as_json=as_json)
