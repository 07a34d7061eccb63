"""Cycles of every instruction of a straight piece of code, by the rules of the cores.

The rules are those of ``libraries/cmsis_nn/cost/tables/README.md``; memory never waits. A piece
begins with an empty pipeline.

Facts: Arm's Technical Reference Manuals of Cortex-M0+ and M4 (tables of times) and of M7 (its
pipeline); of Cortex-M33 Arm publishes no times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from arenite.emulator.instruction import Instruction
from arenite.emulator.t32 import narrow, wide
from arenite.emulator.thumb import TAKEN, piece_of

#: An instruction's bytes, and its cycles where it goes on to the next one.
Step = tuple[int, float]


def instructions(code: bytes) -> Iterator[Instruction]:
    """All instructions of a piece."""
    at = 0
    while at + 2 <= len(code):
        first, second = (int.from_bytes(code[n : n + 2], "little") for n in (at, at + 2))
        one = narrow(first) if first >> 11 < 0b11101 else wide(first, second)
        yield one
        at += one.size


def _cortex_m4(code: bytes) -> list[Step]:
    """The rule of the emulated board's counter; a branch's own cycles are counted apart."""
    sizes = [one.size for one in instructions(code)]
    pieces = [piece_of(code[: sum(sizes[:count])]) for count in range(len(sizes) + 1)]
    halves = [one.half_cycles - TAKEN * one.always_leaves for one in pieces]
    return [(size, (b - a) / 2) for size, (a, b) in zip(sizes, pairwise(halves), strict=True)]


def _cortex_m7(code: bytes) -> list[Step]:
    """Two instructions at once where neither waits for the other; IT is none of them.

    At most one of the two is a load or store, a product or a branch. Of the ways to read this, the
    one was chosen that comes closest to the rows that the tables had.
    """
    found, ready = list[Step](), dict[int, int]()
    now, last, free, is_special = 0, 0, 0, True
    for one in instructions(code):
        if (one.kind, one.size, one.reads, one.writes) != ("plain", 2, (), ()):
            waits = max((ready.get(r, 0) - (r == one.addend) for r in one.reads), default=0)
            if waits <= now and (not free or (is_special and one.kind != "plain")):
                waits = now + 1
            if waits > now:
                now, free, is_special = waits, 2, False
            free, is_special = free - 1, is_special or one.kind != "plain"
            ready.update(dict.fromkeys(one.writes, now + 1 + (one.kind == "product")))
            if one.moved >= 0:
                ready[one.moved] = now + 1
            now += 4 if one.kind == "division" else (one.count - 1) // 2
            free = 0 if one.count > 2 or one.kind == "division" else free
        found.append((one.size, now - last))
        last = now
    return found


def _cortex_m33(code: bytes) -> list[Step]:
    """One cycle each; a loaded value that the next instruction asks for comes one later."""
    found, loaded = list[Step](), tuple[int, ...]()
    for one in instructions(code):
        waits = any(register in loaded for register in one.reads)
        more = 4 if one.kind == "division" else one.count - 1
        loaded = one.writes if one.kind == "memory" else ()
        found.append((one.size, 1 + waits + more))
    return found


def _cortex_m0plus(code: bytes) -> list[Step]:
    """A load or store takes two cycles, of several registers one each and one; BL one more."""
    found = list[Step]()
    for one in instructions(code):
        more = {"memory": one.count, "branch": one.count if one.count > 1 else one.size == 4}
        found.append((one.size, 1 + more.get(one.kind, 0)))
    return found


#: Of each core the rule, and what a branch takes more that leads elsewhere.
RULES: dict[str, tuple[Callable[[bytes], list[Step]], float]] = {
    "cortex-m0plus": (_cortex_m0plus, 1),
    "cortex-m4": (_cortex_m4, TAKEN / 2),
    "cortex-m7": (_cortex_m7, 1),
    "cortex-m33": (_cortex_m33, 2),
}
