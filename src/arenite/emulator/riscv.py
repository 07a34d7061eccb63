"""Instructions and cycles of a straight piece of RISC-V code with compressed instructions.

Cycles are :attr:`arenite.cores.Core.pace` times instructions. That is one point, of code that waits
for flash at times: another program's cycles may be a fifth off.

Facts: RISC-V Instruction Set Manual, volume 1, section 1.5 (lengths of instructions).
"""

from __future__ import annotations

from arenite.cores import CORES

_PACE = max(core.pace for core in CORES.values() if core.unicorn)


def steps(code: bytes) -> list[tuple[int, float]]:
    """Instructions of a piece: bytes and cycles of each."""
    found = list[tuple[int, float]]()
    at = 0
    while at + 2 <= len(code):
        size = 4 if code[at] & 3 == 3 else 2
        if at + size <= len(code):
            found.append((size, _PACE))
        at += size
    return found
