"""Instruction sets of emulated cores: registers and calls."""

from __future__ import annotations

from dataclasses import dataclass

from arenite.cores import Family


@dataclass(frozen=True)
class InstructionSet:
    """Calls of functions.

    Attributes:
        prefix: Unicorn's architecture, with which its constants begin.
        modes: Of Unicorn's, which add up.
        arguments: Registers, in order; further arguments are on the stack.
        link: The register with where a function returns to.
        code_bit: The lowest bit of a pointer to a function.
    """

    prefix: str
    modes: tuple[str, ...]
    arguments: tuple[str, ...]
    link: str
    code_bit: int


_THUMB = InstructionSet(
    prefix="ARM",
    modes=("THUMB", "MCLASS"),
    arguments=("R0", "R1", "R2", "R3"),
    link="LR",
    code_bit=1,
)
_RISCV = InstructionSet(
    prefix="RISCV",
    modes=("RISCV32",),
    arguments=tuple(f"A{number}" for number in range(8)),
    link="RA",
    code_bit=0,
)


def instruction_set(family: Family) -> InstructionSet:
    """The instruction set of a family's emulated cores."""
    return _RISCV if family == "esp" else _THUMB
