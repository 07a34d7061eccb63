"""Instructions and cycles of a straight piece of RISC-V code with compressed instructions.

Cycles are :attr:`arenite.cores.Core.pace` times instructions. That is one point, of code that waits
for flash at times: another program's cycles may be a fifth off.

Facts: RISC-V Instruction Set Manual, volume 1, section 1.5 (lengths of instructions).
"""

from __future__ import annotations

from arenite.cores import CORES
from arenite.emulator.thumb import Piece

#: Of an instruction, in hundredths of half cycles.
_HALVES = round(200 * max(core.pace for core in CORES.values() if core.unicorn))


def piece_of(code: bytes) -> Piece:
    """The cost of code that runs from its first byte to its last."""
    count = at = 0
    while at + 2 <= len(code):
        size = 4 if code[at] & 3 == 3 else 2
        count += at + size <= len(code)
        at += size
    return Piece(count, count * _HALVES / 100, always_leaves=True)
