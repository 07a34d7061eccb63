"""Options on what computes here: the engine, its instruction set, threads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arenite.runtime.interpreter_config import Setup
    from arenite.target import Target


class EngineName(str, Enum):
    """``--engine``."""

    auto = "auto"
    native = "native"
    reference = "reference"


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


@dataclass(frozen=True)
class EngineOptions:
    """All of these options."""

    engine: EngineOption = EngineName.auto
    isa: IsaOption = None
    threads: SharingThreads = 1

    def setup(self, target: Target) -> Setup:
        """An interpreter's, for a target's firmware."""
        from arenite.runtime.interpreter_config import Setup

        return Setup.of(target, self.engine.value, threads=self.threads, isa=self.isa)
