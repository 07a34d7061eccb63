"""Known costs of a library, as plain data: loops, what they take, how far that is off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arenite.libraries.path import Path
from arenite.ops.constraints import NodeView
from arenite.target import Target


class Loop(NamedTuple):
    """One level of a C function's loops in one inference.

    Attributes:
        function: The C function.
        step: What one pass does; with the function the key of its cost.
        times: Passes.
    """

    function: str
    step: str
    times: int


class Error(NamedTuple):
    """Errors of estimates of one kernel's instructions on random layers, as shares.

    No constant comes from these layers. ``worst`` has no sign.
    """

    median: float
    worst: float
    layers: int


class Line(NamedTuple):
    """One level of loops, and what all its passes cost."""

    loop: Loop
    instructions: float
    cycles: float


@dataclass(frozen=True)
class Cost:
    """Cost of one inference of an operator, loop by loop.

    ``is_borrowed``: some loops were measured at another level of optimisation alone.
    """

    lines: tuple[Line, ...]
    is_borrowed: bool = False

    @cached_property
    def instructions(self) -> int:
        """Instructions that run."""
        return round(sum(line.instructions for line in self.lines))

    @cached_property
    def cycles(self) -> int:
        """Cycles that they take, with memory that never waits."""
        return round(sum(line.cycles for line in self.lines))


def _no_span(view: NodeView, path: Path | None, target: Target, products: int) -> None:
    """Nothing is known."""


@dataclass(frozen=True)
class Costs:
    """Known costs of a library's kernels, and of TFLM's beside them.

    Attributes:
        processors: Those whose costs are known.
        complete: Those of which nearly all kernels have some, so that totals can be compared.
        known: Of which kernels, as the end of a sentence.
        loops_of: ``loops_of(view, path, target)``: an operator's loops in one inference; None where
            there is no model of them. ``path`` is None for operators that the library lacks.
        cost_of: ``cost_of(view, path, target)``: what they take; None where that is not known.
        error_of: ``error_of(view, target)``: how far such estimates were off; None if that was not
            measured.
        instruction_counts: ``instruction_counts(loops, target)``: by mnemonic, of those that widen,
            multiply and requantise.
        span_of: ``span_of(view, path, target, products)``: between how many cycles an operator
            takes on a processor without costs; None where that is not known either.
    """

    processors: tuple[str, ...]
    complete: tuple[str, ...]
    known: str
    loops_of: Callable[[NodeView, Path | None, Target], list[Loop] | None]
    cost_of: Callable[[NodeView, Path | None, Target], Cost | None]
    error_of: Callable[[NodeView, Target], Error | None]
    instruction_counts: Callable[[Iterable[Loop], Target], Counter[str]]
    span_of: Callable[[NodeView, Path | None, Target, int], tuple[float, float] | None] = _no_span
