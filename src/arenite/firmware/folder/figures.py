"""Figures of a firmware that was measured, as ``arenite.json`` keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arenite.emulator.machine import Count


@dataclass(frozen=True)
class Figures:
    """Costs of a firmware. Cycles are ``arenite cost``'s estimate, for memory that never waits.

    Attributes:
        processor: The emulated core.
        instructions: Of an inference of the first inputs that is not the first one.
        cycles: Of the same.
        code_bytes: Functions in flash, as zig's clang makes them with -Os.
        stack_bytes: The deepest that the stack of an inference was, of ``NAME_invoke`` and all that
            it calls, on any of the inputs.
        equal: Whether the self-test passed: every layer, output and constant.
        layers: Instructions and cycles of every layer in that inference, with the call that tells
            of it.
        first: Of the first inference, in which operators such as CALL_ONCE run.
        first_layers: Of every layer in that.
        static_bytes: RAM of users' kernels in C++ beside the arena, and of what is around them.
    """

    processor: str
    instructions: int
    cycles: int
    code_bytes: int
    stack_bytes: int
    equal: bool
    layers: tuple[Count, ...]
    first: Count
    first_layers: tuple[Count, ...]
    static_bytes: int = 0

    @property
    def is_steady(self) -> bool:
        """Whether the first inference is like the next ones."""
        return self.first_layers == self.layers


def figures_facts(figures: Figures | None, constant_bytes: int) -> dict[str, Any]:
    """The figures as JSON; null where nothing was emulated."""
    if figures is None:
        keys = "emulated instructions cycles first_instructions first_cycles"
        keys += " code_bytes flash_bytes stack_bytes static_bytes equal"
        return dict.fromkeys(keys.split())
    return {
        "emulated": figures.processor,
        "instructions": figures.instructions,
        "cycles": figures.cycles,
        "first_instructions": figures.first.instructions,
        "first_cycles": figures.first.cycles,
        "code_bytes": figures.code_bytes,
        "flash_bytes": figures.code_bytes + constant_bytes,
        "stack_bytes": figures.stack_bytes,
        "static_bytes": figures.static_bytes,
        "equal": figures.equal,
    }
