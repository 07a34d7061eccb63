"""Cycles of straight pieces of code on a Cortex-M55, estimated: no board was measured.

The rule is that of ``arenite cost`` for TFLM's kernels
(``libraries/cmsis_nn/cost/tables/README.md``), so that both can be compared:

- one instruction begins in a cycle; pairs that some cores begin at once are not counted on;
- a vector has four beats, of which two are done in a cycle: it takes its part of the pipeline
  (memory, products, the rest) for two cycles, while the next vector may begin in another part
  after one, with the beats that are done;
- a load's or a product's result comes after two cycles, a product's addend is needed one later;
- floats come after two, a sum of their products after four, a quotient after 14; a division of
  integers takes five; registers that are loaded or stored together go in pairs;
- the end of a low-overhead loop (LE, LETP) is free, any other branch that is taken takes one more;
- memory never waits.

A block of code begins with an empty pipeline.

Facts: Arm, "Introduction to Helium" and Cortex-M55 Technical Reference Manual (two beats in a
cycle, what overlaps, loops); Armv8-M Architecture Reference Manual (beats).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from arenite.emulator.instruction import Q0, Instruction

#: Cycles beyond an instruction's own.
_DIVISION, _TAKEN = 4, 1
#: Cycles until there is a result; of floats ``count`` may say more.
_RESULT = {"memory": 2, "product": 2, "float": 2}


class Cost(NamedTuple):
    """Instructions and cycles."""

    instructions: int
    cycles: int


@dataclass
class Pipeline:
    """State under way: when the next instruction may begin, what is busy, what comes when."""

    now: int = 0
    busy: dict[str, int] = field(default_factory=dict)
    ready: dict[int, int] = field(default_factory=dict)

    def run(self, one: Instruction) -> None:
        """Begin an instruction as soon as all it waits for is there."""
        if one.kind == "loop end":
            return
        part = _part(one)
        start = max(
            self.now, *(self._ready(one, register) for register in (*one.reads, one.addend))
        )
        if part:
            start = max(start, self.busy.get(part, 0))
            self.busy[part] = start + (2 if one.is_vector else 1)
        late = 2 if one.is_vector else max(_RESULT.get(one.kind, 1), _float(one))
        self.ready.update(dict.fromkeys(one.writes, start + late))
        if one.moved >= 0:
            self.ready[one.moved] = start + 1
        self.now = start + max(1, one.count // 2 if one.kind != "float" else 1)
        if one.kind == "division":
            self.now += _DIVISION

    def _ready(self, one: Instruction, register: int) -> int:
        overlaps = register == one.addend or (one.is_vector and register >= Q0)
        return self.ready.get(register, 0) - overlaps


def block_cost(code: Iterable[Instruction], *, leaves: bool) -> Cost:
    """A block that is run once; whether it leaves by a branch that is taken."""
    pipeline, count, last = Pipeline(), 0, ""
    for one in code:
        pipeline.run(one)
        count, last = count + 1, one.kind
    return Cost(count, pipeline.now + (_TAKEN if leaves and last != "loop end" else 0))


def _part(one: Instruction) -> str:
    if one.kind == "memory":
        return "memory"
    if not one.is_vector:
        return ""
    return "products" if one.kind == "product" else "rest"


def _float(one: Instruction) -> int:
    return one.count if one.kind == "float" and one.count > 2 else 0
