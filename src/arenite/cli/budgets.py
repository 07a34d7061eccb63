"""Limits of a firmware, which ``export`` and ``board`` have in common."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arenite.cli.quantity import bytes_option

if TYPE_CHECKING:
    from arenite.boards import Board

LeastName = Literal["time", "ram", "flash"]
InputsName = Literal["overwritten", "apart", "kept", "rows"]

Flash = Annotated[
    int | None,
    bytes_option(
        "What constants may take, such as 200k; room beyond what they need makes 3x3 convolutions "
        "faster."
    ),
]
Ram = Annotated[
    int | None,
    bytes_option(
        "What the arena may take, such as 48k; the fastest program that fits is written, with "
        "groups of layers that go row by row."
    ),
]
Least = Annotated[
    LeastName | None,
    typer.Option(
        help="What shall be small; ram in at most 1.3 times the cycles, time with any constants."
    ),
]
Icache = Annotated[
    int | None,
    bytes_option(
        "The processor's cache of instructions, such as 1k: loops are unrolled as far as they fit; "
        "by default the board's, or any size."
    ),
]
Inputs = Annotated[
    InputsName,
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


@dataclass(frozen=True)
class LimitOptions:
    """The options that say what a firmware may take."""

    flash: Flash = None
    ram: Ram = None
    least: Least = None
    icache: Icache = None
    inputs: Inputs = "overwritten"
    optimize: Optimize = True

    def on(self, board: Board | None) -> dict[str, Any]:
        """Arguments of :func:`arenite.export` and :func:`arenite.firmware.trial.trial`.

        A board's cache of instructions counts where it is known.
        """
        from arenite.firmware.flash_reads import icache_of

        icache = icache_of(board) if self.icache is None else self.icache
        return asdict(self) | {"icache": icache}

    @property
    def may_be_missed(self) -> bool:
        """Whether there may be no firmware within them."""
        return bool(self.flash or self.ram) or self.inputs == "rows"

    @property
    def are_arenites(self) -> bool:
        """Whether TFLM, which lays out its own arena, does not know one that was given."""
        return bool(self.flash or self.ram or self.least) or self.inputs != "overwritten"
