"""Registers and units that instructions of a Cortex-M55 use, from their encodings.

It knows as much of an instruction as the rule of cycles (:mod:`arenite.emulator.m55_cycles`) asks
for: the part of the pipeline that it takes, and which registers wait for which. Registers of floats
count as the vectors that they are parts of; flags and predicates as nothing.

Facts: Armv8-M Architecture Reference Manual, chapter C2 (T32).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: ``q0`` follows the 16 registers of integers.
Q0 = 16
SP, LR, PC = 13, 14, 15
Kind = Literal["plain", "memory", "product", "division", "float", "branch", "loop end"]


@dataclass(frozen=True)
class Instruction:
    """An instruction.

    Attributes:
        size: Bytes, 2 or 4.
        kind: What it is; ``"loop end"`` are LE and LETP.
        writes: Registers whose values come late: a load's, a product's, any result.
        reads: Registers that it waits for.
        addend: One of these that it needs one cycle later than the others, or -1.
        moved: A register with an address that it also moves, or -1.
        is_vector: Whether it is done in beats.
        count: Registers that it loads or stores.
        jump: Bytes from its address to where a branch leads, if that is behind it; or 0.
        is_mask: Whether it changes which lanes of the vectors after it count.
    """

    size: int
    kind: Kind = "plain"
    writes: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    addend: int = -1
    moved: int = -1
    is_vector: bool = False
    count: int = 1
    jump: int = 0
    is_mask: bool = False

    @property
    def is_branch(self) -> bool:
        """Whether another instruction than the next one may follow."""
        return self.kind in ("branch", "loop end")


def known(*registers: int) -> tuple[int, ...]:
    """Registers without 15, which stands for none."""
    return tuple(one for one in registers if one != PC)


def one(size: int, register: int, address: tuple[int, ...], *, loads: bool) -> Instruction:
    """A load or store of one register."""
    if loads:
        return Instruction(size, "memory", known(register), address)
    return Instruction(size, "memory", (), (register, *address))


def many(size: int, mask: int, base: int, *, loads: bool, moves: bool) -> Instruction:
    """A load or store of several registers."""
    listed = tuple(one for one in range(16) if mask >> one & 1)
    if loads and PC in listed:
        return Instruction(size, "branch", known(*listed), (base,), count=len(listed))
    writes, reads = (listed, (base,)) if loads else ((), (*listed, base))
    moved = base if moves else -1
    return Instruction(size, "memory", writes, reads, moved=moved, count=len(listed))
