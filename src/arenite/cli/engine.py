"""Options on what computes here: the engine, its instruction set, threads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arenite.cli.quantity import checked

if TYPE_CHECKING:
    from arenite.runtime.interpreter_config import Setup
    from arenite.target import Target


EngineName = Literal["auto", "native", "reference"]
EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="What computes here; the results are the same."),
]


def _threads(count: int) -> int:
    """The value, refused as an interpreter would refuse it."""
    from arenite.runtime.threads import checked_threads

    return checked(checked_threads, count)


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
    """The value, refused as an interpreter would refuse it."""
    from arenite import native

    if name is None or not native.available():
        return name
    from arenite.native.program import checked_isa

    return checked(checked_isa, name)


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


@dataclass(frozen=True)
class EngineOptions:
    """All of these options."""

    engine: EngineOption = "auto"
    isa: IsaOption = None
    threads: SharingThreads = 1

    def setup(self, target: Target) -> Setup:
        """An interpreter's, for a target's firmware."""
        from arenite.runtime.interpreter_config import Setup

        return Setup.of(target, self.engine, threads=self.threads, isa=self.isa)
