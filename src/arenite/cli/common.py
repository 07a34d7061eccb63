"""Shared by all commands: options, errors, JSON, the terminal."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from arenite import target
from arenite.cli.quantity import bytes_option, checked
from arenite.library_facts import library_names

if TYPE_CHECKING:
    from rich.console import Console

Found = TypeVar("Found")
DEBUG_VARIABLE = "ARENITE_DEBUG"
_REFRESH_SECONDS = 0.1
#: The exit code where loops were too long to verify what was made.
NOT_VERIFIED = 3


ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A .tflite or .mnn file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, with the keys of docs/cli.md.")]


def library_choice(*others: str) -> Any:
    """The option ``--library``: a kernel library, or one of ``others``."""
    names = (*library_names(), *others)

    def checked(name: str | None) -> str | None:
        spelled = name and name.replace("-", "_")
        if spelled is None or spelled in names:
            return spelled
        raise typer.BadParameter(f"expected one of {', '.join(names)}, got {name!r}")

    return typer.Option(
        "--library",
        metavar=f"[{'|'.join(names)}]",
        callback=checked,
        help="Whose kernels: TFLM's own, or a library's where it has one; by default the library "
        "that is usual for the processor"
        + (", in TFLM; or those that arenite export writes." if others else "."),
    )


Library = Annotated[str | None, library_choice()]
LibraryVersion = Annotated[
    str | None,
    typer.Option(
        metavar="RELEASE",
        help="The library's release, where several are known; by default the last one.",
    ),
]
GlueVersion = Annotated[
    str | None,
    typer.Option(
        metavar="RELEASE",
        help="The release of what brings TFLM and calls the library, such as esp-tflite-micro.",
    ),
]
VariablesArena = Annotated[
    int | None,
    bytes_option("An arena of its own for the table of variables, as ESPHome has one of 1024."),
]
Compiler = Annotated[
    target.Compiler | None,
    typer.Option(help="Some of CMSIS-NN's buffers are larger with armclang."),
]
Optimization = Annotated[
    target.Optimization | None,
    typer.Option(
        "--optimization",
        help="GCC's level, which decides on times; by default that of the board's usual builds, "
        "or O2.",
    ),
]
Rounding = Annotated[
    target.Rounding | None,
    typer.Option(help="How products are rounded: single is TFLITE_SINGLE_ROUNDING."),
]
StructSizes = Annotated[
    target.AbiName | None,
    typer.Option(
        "--abi",
        metavar="ABI",
        help="Whose structs count: lp64 (64 bits, as TFLM's Python package is built; "
        "the default), lp64_public (64 bits, TFLM's public sources), ilp32 (Cortex-M with Arm "
        "GCC, arm_none_eabi is the same; the default with a target) or "
        "ilp32_int_enums (32 bits, enums of 4 bytes).",
    ),
]


def chosen_target(name: str | None, **parts: str | int | None) -> target.Target:
    """The target of a command's options; what was not given is the SDK's, or the target's own.

    Raises:
        typer.BadParameter: There is no such target.
    """
    given: dict[str, Any] = {part: value for part, value in parts.items() if value is not None}
    if name is None and given.get("sdk"):
        return checked(lambda: target.Target(**given), option="--sdk")
    return checked(
        lambda: target.Target(target.find_target(name).processor, **given), option="--target"
    )


@contextmanager
def usage_errors(are_expected: bool = True) -> Iterator[None]:
    """Wrong usage, where a function refuses what it is given, if options may be the reason.

    Raises:
        typer.BadParameter: A ``ValueError`` was raised, none of its subclasses.
    """
    try:
        yield
    except ValueError as error:
        if type(error) is not ValueError or not are_expected:
            raise
        raise typer.BadParameter(str(error)) from None


def require_suffix(file: Path | None, suffix: str, option: str) -> None:
    """Refuse an output file whose name promises another format than it would have."""
    if file is not None and file.suffix.lower() != suffix:
        raise typer.BadParameter(f"expected a {suffix} file, got '{file}'", param_hint=option)


def require_other(file: Path | None, option: str, read: Iterable[Path]) -> None:
    """Refuse an output file that is one of those that are read."""
    if file is None or not file.exists():
        return
    for one in read:
        if one.exists() and one.samefile(file):
            raise typer.BadParameter(
                f"expected a file that is not read as well, got '{file}'", param_hint=option
            )


def warn(message: str) -> None:
    """Print a warning, as errors are printed."""
    _say("warning", "yellow", message)


def fail(message: str, code: int = 1) -> NoReturn:
    """Print an error and exit."""
    _say("error", "red", message)
    raise typer.Exit(code)


def note(message: str) -> None:
    """Print on the error stream what else is to be known of a command that ends early."""
    _say("note", "cyan", message)


def _say(kind: str, color: str, message: str) -> None:
    from rich.text import Text

    from arenite.model.text import printable

    # Other ends of lines, of which Unicode has seven, can only come from a name.
    lines = "\n".join(map(printable, message.split("\n")))
    text = Text.assemble((f"{kind}: ", f"bold {color}"), lines)
    console(stderr=True).print(text, soft_wrap=True)


def console(*, stderr: bool = False) -> Console:
    """The terminal, or the pipe, that facts are printed to: text alone reaches it.

    All that the command line prints goes through here, but for JSON and help. Whatever a line has
    from a file, nothing in it moves a cursor, sets a title, is taken for markup or for a command of
    a CI system, and no line is wider than the terminal; in a pipe, paths and names stay whole.
    """
    from rich.console import Console
    from rich.text import Text

    from arenite.report.text import inert_lines, inert_text, shown

    class Terminal(Console):
        def print(self, *objects: Any, **how: Any) -> None:
            lines = [shown(one if isinstance(one, Text) else Text(str(one))) for one in objects]
            if stderr:  # a message is one line, which logs are searched for
                lines = [*map(inert_text, lines)]
            else:
                whole = not self.is_terminal
                lines = [
                    part
                    for one in lines
                    for part in inert_lines(one, self.width, whole_words=whole)
                ]
            super().print(*lines, **{"sep": "\n", "soft_wrap": True, **how})

    return Terminal(stderr=stderr, highlight=False, markup=False, emoji=False)


#: Whether an error is printed as JSON too: where that was asked for, and nothing was printed yet.
_errors_are_json = False


def print_errors_as_json(wanted: bool) -> None:
    """Say whether the next error is a document as well."""
    global _errors_are_json  # noqa: PLW0603 - a process has one command line
    _errors_are_json = wanted


def print_error(kind: str, message: str, code: int) -> None:
    """Print an error as a document where that is wanted."""
    if _errors_are_json:
        print_json({"error": {"kind": kind, "message": message}, "exit_code": code})


def print_lines(terminal: Console, lines: Iterable[Any]) -> None:
    """Print lines that are as wide as the terminal already."""
    for line in lines:
        terminal.print(line, soft_wrap=True)


def print_json(facts: Any) -> None:
    """Print one JSON document; NaN and infinity, which JSON lacks, become null."""
    from arenite.model.text import COMMAND

    print_errors_as_json(False)  # no error prints a second document
    text = json.dumps(_plain(facts), indent=2, allow_nan=False)
    text = text.replace("\x7f", "\\u007f")  # the one control character that JSON lets through
    # A key or a text begins with a quotation mark: no line begins with a command of a CI system.
    typer.echo(COMMAND.sub(lambda found: found[0][:-1] + "\\u0023", text))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show(
    found: Found,
    facts: Callable[[Found], Any],
    render: Callable[[Found, int], Iterable[Any]],
    note: str = "",
    *,
    as_json: bool,
) -> None:
    """Print a result: its facts as JSON, or a note on the device and lines for the terminal."""
    if as_json:
        print_json(facts(found))
        return
    from arenite.report.text import wrapped

    terminal = console()
    if note:
        print_lines(terminal, wrapped(note, terminal.width))
    print_lines(terminal, render(found, terminal.width))


def is_ascii() -> bool:
    """Whether the terminal's encoding has no more than ASCII."""
    return console().options.ascii_only


def bar() -> str:
    """The character of bars that the terminal's encoding can show."""
    return "#" if is_ascii() else "█"


@contextmanager
def progress(title: str, total: int, expected_seconds: float) -> Iterator[Callable[..., None]]:
    """A progress bar on the error stream, for what takes over a second, on a terminal only.

    Yields a function that reports one of ``total`` steps done, or as many as it is given. The bar
    is drawn inside that call and in no thread, so that it disturbs no measurement.
    """
    if expected_seconds < 1 or not sys.stderr.isatty():
        yield lambda steps=1: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), auto_refresh=False, transient=True) as bar:
        task = bar.add_task(title, total=total)
        drawn = time.monotonic()

        def advance(steps: int = 1) -> None:
            nonlocal drawn
            bar.advance(task, steps)
            if time.monotonic() - drawn > _REFRESH_SECONDS:
                bar.refresh()
                drawn = time.monotonic()

        yield advance


@contextmanager
def progress_told(expected_seconds: float) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for every kind of work, one after the other; told what is done, and of how much."""
    with ExitStack() as bars:
        advance: Callable[..., None] | None = None
        title, before = "", 0

        def tell(what: str, done: int, total: int) -> None:
            nonlocal advance, title, before
            if what != title or advance is None:
                bars.close()
                advance = bars.enter_context(progress(what, total, expected_seconds))
                title, before = what, 0
            advance(done - before)
            before = done

        yield tell
