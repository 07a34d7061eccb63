"""``arenite board``: a model's firmware on an emulated core."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arenite.cli.budgets import LimitOptions
from arenite.cli.common import NOT_VERIFIED, AsJson, fail, show, usage_errors
from arenite.cli.device import BoardName, chosen_device, complete_targets, no_revision
from arenite.cli.emulation import SECONDS, Timeout, emulating
from arenite.cli.kernels import given_kernels
from arenite.cli.operators import Ops, load_model
from arenite.cores import DEFAULT, emulated, listed

if TYPE_CHECKING:
    from arenite.boards import Board as BoardFacts
    from arenite.firmware.trial import Trial
    from arenite.model import Model

Runs = Annotated[
    int, typer.Option(min=1, metavar="N", help="Inferences that are compared with the reference.")
]

ModelOrFolder = Annotated[
    str, typer.Argument(metavar="MODEL|DIR", help="A .tflite or .mnn file, or an exported folder.")
]
Emulated = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="PROCESSOR",
        autocompletion=complete_targets,
        help=f"The core: {listed(emulated())}; by default the folder's, or {DEFAULT}.",
    ),
]
Stock = Annotated[
    bool,
    typer.Option("--stock", help="TFLM's own interpreter and CMSIS-NN's kernels; with --tflm."),
]
Tflm = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="TFLM's sources, with --stock, or that kernels in C++ are written for: what its "
        "create_tflm_tree.py writes with OPTIMIZED_KERNEL_DIR=cmsis_nn, or a checkout with its "
        "third parties downloaded.",
    ),
]


Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="MILLION",
        help="Instructions that a call may take; by default 500 million of a folder or a model "
        "with loops, which may be endless (exit code 3).",
    ),
]


#: As :class:`arenite.firmware.compiler.toolchain.Toolchain` has them.
CompilerName = Literal["zig", "gcc"]
LevelName = Literal["O0", "O1", "O2", "O3", "Os"]
Compiler = Annotated[
    CompilerName,
    typer.Option(
        help="zig: clang, from the package ziglang. gcc: arm-none-eabi-gcc or "
        "riscv64-unknown-elf-gcc of this machine."
    ),
]
Level = Annotated[LevelName, typer.Option(help="The compiler's optimisation level.")]


NoRevision = Annotated[
    str | None,
    no_revision("a board runs the TFLM that --tflm names, or an export, which has none"),
]


def board(
    model: ModelOrFolder,
    *,
    on: BoardName = None,
    target: Emulated = None,
    limits: LimitOptions,
    runs: Runs = 4,
    limit: Limit = None,
    timeout: Timeout = SECONDS,
    compiler: Compiler = "zig",
    level: Level = "Os",
    tflm_version: NoRevision = None,
    ops: Ops = None,
    stock: Stock = False,
    tflm: Tflm = None,
    as_json: AsJson = False,
) -> None:
    """Export a model, build it, run it on an emulated core and count what runs.

    A folder that was exported is built and run as it stands, and compared by its self-test. With
    --stock it is TFLM with CMSIS-NN that runs, from your sources.

    Example: arenite board model.tflite --runs 20
    """
    from arenite.errors import BoardLimitError
    from arenite.firmware.compiler.toolchain import DEFAULT as ZIG
    from arenite.firmware.compiler.toolchain import Toolchain
    from arenite.firmware.trial import trial_facts
    from arenite.report.board import render_trial

    device = chosen_device(on, target)
    processor = device.target.processor if device.is_named else None
    _require_sources(model, tflm, ops, stock=stock)
    toolchain = Toolchain(compiler, level)
    if stock and toolchain != ZIG:
        raise typer.BadParameter("--stock is built by zig with -O2")
    try:
        if stock:
            if limits.are_arenites:
                raise typer.BadParameter("--flash, --ram, --least and --input are not TFLM's")
            result = _stock(model, str(tflm), processor, runs, device.board)
        else:
            what = model if Path(model).is_dir() else load_model(model, ops)
            most = None if limit is None else limit * 10**6
            how = {"runs": runs, "limit": most, "toolchain": toolchain, "seconds": timeout}
            with emulating(processor or "core") as tell:
                result = _exported(what, processor, limits, device.board, {**how, "tell": tell})
    except BoardLimitError as error:
        fail(f"not verified: {error}", NOT_VERIFIED)
    words = device.note("this is firmware for", device.target.processor)
    if Path(model).is_dir():  # a folder is of a processor
        words = ""
    show(result, trial_facts, render_trial, words, as_json=as_json)
    if not result.equal:
        raise typer.Exit(1)


def _require_sources(model: str, tflm: str | None, ops: Path | None, *, stock: bool) -> None:
    """Refuse sources of TFLM that nothing needs, and kernels that no board runs."""
    if stock and ops is not None:
        raise typer.BadParameter("a board runs kernels in C++: expected --kernels, got --ops")
    if stock and tflm is None:
        raise typer.BadParameter("expected --stock and --tflm PATH together, got one of them")
    has_kernels = given_kernels().is_any or Path(model).is_dir()
    if tflm is not None and not stock and not has_kernels:
        raise typer.BadParameter("expected --tflm PATH with --stock, --kernels or a folder")


def _exported(
    what: str | Model,
    processor: str | None,
    limits: LimitOptions,
    on: BoardFacts | None,
    how: dict[str, Any],
) -> Trial:
    """Run an export in such a way."""
    from arenite.firmware.trial import trial

    how |= limits.on(on) | {"on": on, "headers": given_kernels().headers()}
    with usage_errors(limits.may_be_missed):
        return trial(what, processor, **how)


def _stock(model: str, tflm: str, processor: str | None, runs: int, on: BoardFacts | None) -> Trial:
    from arenite.firmware.stock.board import stock_trial

    return stock_trial(load_model(model, None), tflm, processor or DEFAULT, runs, on=on)
