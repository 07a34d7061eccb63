"""Code that a Cortex-M55 in QEMU ran, from the log of its blocks, and what that costs.

QEMU's ``-d exec,nochain`` says where every block of code begins that it runs, and nothing of its
end. A block goes to its branch, or ends before where the next one begins: at the end of a page,
behind an instruction that changes which lanes count, or where a debugger waits.

Facts: QEMU, ``accel/tcg/cpu-exec.c`` (the log's lines), ``target/arm/tcg/translate.c`` (where a
block ends), ``target/arm/cpu.c`` (pages of 1 KB).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from arenite.emulator.elf import Image
from arenite.emulator.instruction import Instruction
from arenite.emulator.m55_cycles import Cost, block_cost
from arenite.emulator.machine import Count
from arenite.emulator.t32 import narrow, wide

#: A block that did not begin after all, as something else was due.
_STOPPED = re.compile(rb"Trace [^\n]*\n(?:Linking [^\n]*\n)*Stopped [^\n]*\n")
_BLOCK = re.compile(rb"^Trace [^\[\n]*\[[0-9a-f]+/([0-9a-f]+)", re.MULTILINE)
_PAGE = 1024


class Trace:
    """Blocks that ran, counted.

    Attributes:
        count: Instructions and cycles so far.
    """

    def __init__(self, image: Image) -> None:
        self.count = Count(0, 0)
        self._code = [(start, start + len(data), data) for start, data in image.segments]
        self._costs: dict[tuple[int, int], Cost] = {}

    def add(self, log: bytes, at: int) -> None:
        """Count what was logged until the program stopped at an address."""
        log = _STOPPED.sub(b"", log)
        starts = [*_BLOCK.findall(log), b"%x" % at]
        instructions, cycles = self.count
        for (one, two), times in Counter(pairwise(starts)).items():
            cost = self._cost((int(one, 16), int(two, 16)))
            instructions, cycles = (
                instructions + times * cost.instructions,
                cycles + times * cost.cycles,
            )
        self.count = Count(instructions, cycles)

    def _cost(self, pair: tuple[int, int]) -> Cost:
        found = self._costs.get(pair)
        if found is None:
            code, leaves = self._block(*pair)
            found = self._costs[pair] = block_cost(code, leaves=leaves)
        return found

    def _block(self, start: int, following: int) -> tuple[Sequence[Instruction], bool]:
        """Code from a block's start until another begins; whether a branch leads there."""
        at, code, fallen = start, list[Instruction](), 0
        while (one := self._instruction(at)) is not None:
            code.append(one)
            if one.is_branch:
                # A block that begins before a loop and goes through it goes to its beginning again.
                if fallen and following not in (at + one.size, at + one.jump):
                    break
                return code, following != at + one.size
            at += one.size
            if at == following:
                fallen = len(code)
                if one.is_mask or at % _PAGE < one.size:
                    break
        return code[: fallen or len(code)], False

    def _instruction(self, at: int) -> Instruction | None:
        for start, end, data in self._code:
            if start <= at < end - 1:
                words = data[at - start : at - start + 4]
                first = int.from_bytes(words[:2], "little")
                if first >> 11 < 0b11101:
                    return narrow(first)
                return wide(first, int.from_bytes(words[2:], "little"))
        return None
