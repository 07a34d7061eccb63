"""All commands as one: errors and warnings in words, exit codes."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from arenite.cli.common import fail, print_error, print_errors_as_json, warn
from arenite.cli.engine import require_isa
from arenite.cli.kernels import Child
from arenite.cli.process import INTERNAL
from arenite.processes.interrupts import CODE, clean_up_first, end_at_once

#: Commands whose exit code 1 is the verdict "no", and their code where an error leaves none.
JUDGES, ERROR = ("fit", "compare", "evaluate", "board", "check-kernel"), 2


class Commands(TyperGroup):
    """The group of all commands: an error of the user's is one message and code 1, of ``fit`` 2.

    A fault of Arenite's own is a traceback and code 70, which no command uses for anything else.
    With ``--json`` the message is a document as well: kind, message and exit code.
    """

    def main(self, args: Any = None, *more: Any, **how: Any) -> Any:
        """Run the command line; errors are JSON if results would be."""
        given = sys.argv[1:] if args is None else args
        print_errors_as_json("--json" in given)
        Child.arguments = tuple(given)
        return super().main(args, *more, **how)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        from arenite.errors import AreniteError

        try:
            clean_up_first()
            require_isa()
            with _warnings_in_words():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            end_at_once()
            print("interrupted", file=sys.stderr)
            # Where it came while a string was executed, as when a dataclass is made, python -m
            # would end by the signal, not with this code; executing another one clears that.
            exec("")
            raise typer.Exit(CODE) from None
        except _USAGE_ERROR as error:
            if isinstance(error, typer.BadParameter):
                from arenite.model.text import inert

                error.message = inert(_in_our_words(error.message))
            print_error("UsageError", _words_of(error), 2)
            raise
        except (AreniteError, OSError, MemoryError) as error:
            if ctx.params["debug"]:
                traceback.print_exc()
            code = ERROR if ctx.invoked_subcommand in JUDGES else 1
            print_error(type(error).__name__, _message(error), code)
            fail(_message(error), code)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            message = f"a fault of Arenite: {type(error).__name__}: {error}; please report it"
            traceback.print_exc()
            print_error("InternalError", message, INTERNAL)
            fail(message, INTERNAL)


#: What all wrong usage is; typer exports one of its kinds alone.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]


def _words_of(error: Any) -> str:
    return str(error.format_message())


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """Print Arenite's warnings as errors are, once, without a line of its source."""
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
    """Say what was expected and what was found, where typer's own parser refuses a value."""
    for theirs, ours in _WORDS:
        if match := re.fullmatch(theirs, message, re.DOTALL):
            return match.expand(ours)
    return message


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        from arenite.model.text import printable

        place = f"{printable(str(error.filename))}: " if error.filename is not None else ""
        return f"{place}{error.strerror}"
    return str(error) or type(error).__name__
