"""The ``arenite`` command: typer and rich over the public API, one file per command.

Exit codes: 0 done, 1 the model, the input or the arena is at fault, 2 wrong usage, 3 done, but not
all of it (samples left out, not verified), 70 a fault of Arenite itself, 130 Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from arenite.cli.bench import bench
from arenite.cli.board import board
from arenite.cli.check_kernel import check_kernel
from arenite.cli.commands import Commands
from arenite.cli.common import DEBUG_VARIABLE
from arenite.cli.compare import compare
from arenite.cli.cost import cost
from arenite.cli.engine import require_isa
from arenite.cli.evaluate import evaluate
from arenite.cli.explain import explain
from arenite.cli.export import export
from arenite.cli.fit import boards, fit
from arenite.cli.info import info
from arenite.cli.kernels import with_kernels
from arenite.cli.memory import memory
from arenite.cli.optimize import optimize
from arenite.cli.process import run_as_process
from arenite.cli.quantize import quantize
from arenite.cli.records import with_records
from arenite.cli.report import report
from arenite.cli.run import run
from arenite.cli.sdks import sdks
from arenite.cli.which import which

app = typer.Typer(
    name="arenite",
    cls=Commands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_GROUPS: dict[str, tuple[Callable[..., None], ...]] = {
    "A model": (info, run, bench, compare, evaluate, report),
    "Its memory and time on a device": (fit, boards, sdks, memory, which, cost, explain),
    "Smaller, and as firmware": (quantize, optimize, export, board, check_kernel),
}
for _title, _commands in _GROUPS.items():
    for _command in _commands:
        app.command(_command.__name__.replace("_", "-"), rich_help_panel=_title)(
            with_kernels(with_records(_command), always=_command is check_kernel)
        )


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"arenite {version('arenite')}, {_engine()}")
        raise typer.Exit


def _engine() -> str:
    from arenite import native

    if not native.available():
        return f"reference engine alone: {native.absence()}"
    require_isa()
    from arenite.native.program import isa

    return f"native engine for {isa()}"


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", envvar=DEBUG_VARIABLE, help="Show tracebacks of errors."),
    ] = False,
) -> None:
    """Run TensorFlow Lite Micro models with the device's bits and the device's arena.

    Example: arenite info model.tflite
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line as a process of its own."""
    run_as_process(app)
