"""Cycles of every instruction of a straight piece of code, by the rules of the cores.

The rules are those of ``libraries/cmsis_nn/cost/tables/README.md``; memory never waits. A piece
begins with an empty pipeline.

Facts: Arm's Technical Reference Manuals of Cortex-M0+ and M4 (tables of times) and of M7 (its
pipeline); of Cortex-M33 Arm publishes no times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from arenite.cores import CORES
from arenite.emulator import riscv
from arenite.emulator.instruction import Instruction
from arenite.emulator.t32 import narrow, wide
from arenite.emulator.thumb import TAKEN, Piece, always_leaves, piece_of

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


def _three_stages(code: bytes) -> list[Step]:
    """As :mod:`arenite.emulator.thumb` counts pieces; a branch's own cycles are counted apart."""
    sizes = [one.size for one in instructions(code)]
    pieces = [piece_of(code[: sum(sizes[:count])]) for count in range(len(sizes) + 1)]
    halves = [one.half_cycles - TAKEN * one.always_leaves for one in pieces]
    return [(size, (b - a) / 2) for size, (a, b) in zip(sizes, pairwise(halves), strict=True)]


def _two_at_once(code: bytes) -> list[Step]:
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


def _load_to_use(code: bytes) -> list[Step]:
    """One cycle each; a loaded value that the next instruction asks for comes one later."""
    found, loaded = list[Step](), tuple[int, ...]()
    for one in instructions(code):
        waits = any(register in loaded for register in one.reads)
        more = 4 if one.kind == "division" else one.count - 1
        loaded = one.writes if one.kind == "memory" else ()
        found.append((one.size, 1 + waits + more))
    return found


def _two_stages(code: bytes) -> list[Step]:
    """A load or store takes two cycles, of several registers one each and one; BL one more."""
    found = list[Step]()
    for one in instructions(code):
        more = {"memory": one.count, "branch": one.count if one.count > 1 else one.size == 4}
        found.append((one.size, 1 + more.get(one.kind, 0)))
    return found


class Pipeline(NamedTuple):
    """The rule of a pipeline.

    Attributes:
        steps: Of a straight piece of code its instructions, each with the cycles that it takes.
        taken: Cycles that a branch takes more that leads elsewhere.
        leaves: Whether a piece ends with a branch that has no condition.
    """

    steps: Callable[[bytes], list[Step]]
    taken: float
    leaves: Callable[[bytes], bool] = always_leaves

    def piece_of(self, code: bytes) -> Piece:
        """Cost of code that runs from its first byte to its last."""
        steps, leaves = self.steps(code), self.leaves(code)
        cycles = sum(cycles for _, cycles in steps) + self.taken * leaves
        return Piece(len(steps), 2 * cycles, leaves)


def pipeline_of(processor: str) -> Pipeline:
    """The pipeline of a core that Unicorn emulates."""
    return _PIPELINES[CORES[processor].pipeline]


_PIPELINES: dict[str, Pipeline] = {
    "two stages": Pipeline(_two_stages, 1),
    "three stages": Pipeline(_three_stages, TAKEN / 2),
    "two at once": Pipeline(_two_at_once, 1),
    "load to use": Pipeline(_load_to_use, 2),
    "paced": Pipeline(riscv.steps, 0, lambda code: True),
}
