"""What all commands share: errors to exit codes, JSON, the terminal."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from arenite.cli.quantity import read_bytes
from arenite.library_facts import library_names

if TYPE_CHECKING:
    from rich.console import Console

    from arenite.target import Target

DEBUG_VARIABLE = "ARENITE_DEBUG"
_REFRESH_SECONDS = 0.1
#: Commands whose exit code 1 is the verdict "no", and their code where an error leaves none.
JUDGES, ERROR = ("fit", "compare", "evaluate", "board", "check-kernel"), 2
#: The exit code where loops were too long to verify what was made.
NOT_VERIFIED = 3


class CompilerName(str, Enum):
    """``--compiler``."""

    gcc = "gcc"
    armclang = "armclang"


class RoundingName(str, Enum):
    """``--rounding``."""

    double = "double"
    single = "single"


class AbiName(str, Enum):
    """``--abi``."""

    lp64 = "lp64"
    lp64_public = "lp64_public"
    ilp32 = "ilp32"
    ilp32_int_enums = "ilp32_int_enums"
    arm_none_eabi = "arm_none_eabi"


class EngineName(str, Enum):
    """``--engine``."""

    auto = "auto"
    native = "native"
    reference = "reference"


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
    typer.Option(
        parser=read_bytes,
        metavar="BYTES",
        help="An arena of its own for the table of variables, as ESPHome has one of 1024.",
    ),
]
Compiler = Annotated[
    CompilerName | None, typer.Option(help="Some of CMSIS-NN's buffers are larger with armclang.")
]
Rounding = Annotated[
    RoundingName | None,
    typer.Option(help="How products are rounded: single is TFLITE_SINGLE_ROUNDING."),
]
StructSizes = Annotated[
    AbiName | None,
    typer.Option(
        "--abi",
        metavar="ABI",
        help="Whose structs count: lp64 (64 bits, as TFLM's Python package is built; "
        "the default), lp64_public (64 bits, TFLM's public sources), ilp32 (Cortex-M with Arm "
        "GCC, arm_none_eabi is the same; the default with a target) or "
        "ilp32_int_enums (32 bits, enums of 4 bytes).",
    ),
]
EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="What computes here; the results are the same."),
]


def _threads(count: int) -> int:
    """As an interpreter would refuse it."""
    from arenite.runtime.threads import checked_threads

    try:
        return checked_threads(count)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


SharingThreads = Annotated[
    int,
    typer.Option(
        "--threads",
        metavar="N",
        callback=_threads,
        help="Threads that share an inference of a large model; the results are the same.",
    ),
]


def _isa(name: str | None) -> str | None:
    """As an interpreter would refuse it."""
    from arenite import native

    if name is None or not native.available():
        return name
    from arenite.native.program import checked_isa

    try:
        return checked_isa(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def require_isa() -> None:
    """Refuse an ``ARENITE_ISA`` that names no instruction set of this processor.

    Raises:
        typer.BadParameter: It does.
    """
    try:
        _isa(os.environ.get("ARENITE_ISA") or None)
    except typer.BadParameter as error:
        error.param_hint = "ARENITE_ISA"
        raise


IsaOption = Annotated[
    str | None,
    typer.Option(
        "--isa",
        metavar="SET",
        callback=_isa,
        help="Whose kernels run: portable, avx2, avxvnni, avx512vnni, neon, neondot or neoni8mm. "
        "By default the processor's best. With portable, floats have the same bits on all.",
    ),
]


def chosen_target(name: str | None, **parts: Enum | str | int | None) -> Target:
    """The target of a command's options; those that were not given are the target's own.

    Raises:
        typer.BadParameter: There is no such target.
    """
    from arenite.target import Target, find_target

    given: dict[str, Any] = {
        part: value.value if isinstance(value, Enum) else value
        for part, value in parts.items()
        if value is not None
    }
    try:
        return Target(find_target(name).processor, **given)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--target") from None


class Commands(TyperGroup):
    """The group of all commands: an error of the user's is one message and code 1, of ``fit`` 2.

    With ``--json`` the message is a document as well: kind, message and exit code.
    """

    def main(self, args: Any = None, *more: Any, **how: Any) -> Any:
        """Run the command line; errors are JSON if results would be."""
        global _errors_are_json  # noqa: PLW0603 - a process has one command line
        given = sys.argv[1:] if args is None else args
        _errors_are_json = "--json" in given
        return super().main(args, *more, **how)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        from arenite.errors import AreniteError

        try:
            require_isa()
            with _warnings_in_words():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            # Where it came while a string was executed, as when a dataclass is made, python -m
            # would end by the signal, not with this code; executing another one clears that.
            exec("")
            raise typer.Exit(130) from None
        except _USAGE_ERROR as error:
            if isinstance(error, typer.BadParameter):
                error.message = _in_our_words(error.message)
            _as_json("UsageError", _words_of(error), 2)
            raise
        except (AreniteError, OSError, MemoryError) as error:
            if ctx.params["debug"]:
                raise
            code = ERROR if ctx.invoked_subcommand in JUDGES else 1
            _as_json(type(error).__name__, _message(error), code)
            fail(_message(error), code)


#: What all wrong usage is; typer exports one of its kinds alone.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
#: Whether an error is printed as JSON too: where that was asked for, and nothing was printed yet.
_errors_are_json = False


def _words_of(error: Any) -> str:
    return str(error.format_message())


def _as_json(kind: str, message: str, code: int) -> None:
    if _errors_are_json:
        print_json({"error": {"kind": kind, "message": message}, "exit_code": code})


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """What Arenite warns of is said as errors are, once, without a line of its source."""
    from arenite.errors import PlanWarning, UndefinedWarning

    said: set[str] = set()

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, PlanWarning | UndefinedWarning):
            as_before(message, category, *place, **more)
        elif str(message) not in said:  # a model is allocated more than once
            said.add(str(message))
            warn(str(message))

    as_before = warnings.showwarning
    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = as_before


#: What typer's parser says, and what we do.
_WORDS = (
    (r"(.*) is not a valid int(?:eger)?(?: range)?\.", r"expected a whole number, got \1"),
    (r"(.*) is not a valid float(?: range)?\.", r"expected a number, got \1"),
    (r"(.*) is not in the range x>=(.*)\.", r"expected at least \2, got \1"),
    (r"(.*) is not in the range (.*)<=x<=(.*)\.", r"expected \2 to \3, got \1"),
    (r"(.*) is not one of (.*)\.", r"expected one of \2, got \1"),
)


def _in_our_words(message: str) -> str:
    """What was expected and what was found, where typer's own parser refuses a value."""
    for theirs, ours in _WORDS:
        if match := re.fullmatch(theirs, message, re.DOTALL):
            return match.expand(ours)
    return message


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


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        from arenite.model.text import printable

        place = f"{printable(str(error.filename))}: " if error.filename is not None else ""
        return f"{place}{error.strerror}"
    return str(error) or type(error).__name__


def console(*, stderr: bool = False) -> Console:
    """The terminal, or the pipe, that facts are printed to: text alone reaches it.

    All that the command line prints goes through here, but for JSON and help. Whatever a line has
    from a file, nothing in it moves a cursor, sets a title or is taken for markup, and no line is
    wider than the terminal; in a pipe, paths and names stay whole.
    """
    from rich.console import Console
    from rich.text import Text

    from arenite.report.text import fitted, shown

    class Terminal(Console):
        def print(self, *objects: Any, **how: Any) -> None:
            lines = [shown(one if isinstance(one, Text) else Text(str(one))) for one in objects]
            if not stderr:  # a message is one line, which logs are searched for
                whole = not self.is_terminal
                lines = [
                    part for one in lines for part in fitted(one, self.width, whole_words=whole)
                ]
            super().print(*lines, **{"sep": "\n", **how})

    return Terminal(stderr=stderr, highlight=False, markup=False, emoji=False)


def print_json(facts: Any) -> None:
    """Print one JSON document; NaN and infinity, which JSON lacks, become null."""
    global _errors_are_json  # noqa: PLW0603 - no error prints a second one
    _errors_are_json = False
    text = json.dumps(_plain(facts), indent=2, allow_nan=False)
    typer.echo(text.replace("\x7f", "\\u007f"))  # the one control character that JSON lets through


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def glyph(terminal: Console, unicode: str, ascii_only: str) -> str:
    """The one of two characters that the terminal's encoding can show."""
    return ascii_only if terminal.options.ascii_only else unicode


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
