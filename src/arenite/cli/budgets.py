"""Limits of a firmware, which ``export`` and ``board`` have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arenite.cli.quantity import read_bytes

if TYPE_CHECKING:
    from arenite.boards import Board

Flash = Annotated[
    int | None,
    typer.Option(
        parser=read_bytes,
        metavar="BYTES",
        help="What constants may take, such as 200k; room beyond what they need makes "
        "3x3 convolutions faster.",
    ),
]
Ram = Annotated[
    int | None,
    typer.Option(
        parser=read_bytes,
        metavar="BYTES",
        help="What the arena may take, such as 48k; the fastest program that fits is written, "
        "with groups of layers that go row by row.",
    ),
]
Least = Annotated[
    Literal["time", "ram", "flash"] | None,
    typer.Option(
        help="What shall be small; ram in at most 1.3 times the cycles, time with any constants."
    ),
]
Icache = Annotated[
    int | None,
    typer.Option(
        parser=read_bytes,
        metavar="BYTES",
        help="The processor's cache of instructions, such as 1k: loops are unrolled as far as they "
        "fit; by default the board's, or any size.",
    ),
]
Inputs = Annotated[
    Literal["overwritten", "apart", "kept", "rows"],
    typer.Option(
        "--input",
        help="Whether an inference writes over its input (apart: but no output lies there), or "
        "asks for it row by row.",
    ),
]
Optimize = Annotated[
    bool,
    typer.Option(
        help="Run the passes of arenite optimize that lose nothing before, on what the layers are."
    ),
]


def icache_of(icache: int | None, board: Board | None) -> int | None:
    """Bytes of the cache of instructions: what was given, or the board's where it is known."""
    if icache is None and board is not None and board.waits is not None:
        return board.waits.code.size
    return icache
