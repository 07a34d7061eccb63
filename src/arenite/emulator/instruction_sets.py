"""Instruction sets of emulated cores: registers, calls, the cost of code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arenite.cores import Family
from arenite.emulator import riscv, thumb
from arenite.emulator.thumb import Piece


@dataclass(frozen=True)
class InstructionSet:
    """Calls of functions, and the count of their code.

    Attributes:
        prefix: Unicorn's architecture, with which its constants begin.
        modes: Of Unicorn's, which add up.
        arguments: Registers, in order; further arguments are on the stack.
        link: The register with where a function returns to.
        code_bit: The lowest bit of a pointer to a function.
        piece_of: What a straight piece of code costs.
    """

    prefix: str
    modes: tuple[str, ...]
    arguments: tuple[str, ...]
    link: str
    code_bit: int
    piece_of: Callable[[bytes], Piece]


_THUMB = InstructionSet(
    prefix="ARM",
    modes=("THUMB", "MCLASS"),
    arguments=("R0", "R1", "R2", "R3"),
    link="LR",
    code_bit=1,
    piece_of=thumb.piece_of,
)
_RISCV = InstructionSet(
    prefix="RISCV",
    modes=("RISCV32",),
    arguments=tuple(f"A{number}" for number in range(8)),
    link="RA",
    code_bit=0,
    piece_of=riscv.piece_of,
)


def instruction_set(family: Family) -> InstructionSet:
    """The instruction set of a family's emulated cores."""
    return _RISCV if family == "esp" else _THUMB
