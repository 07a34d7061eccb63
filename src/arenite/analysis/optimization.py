"""Wins of an optimisation, pass by pass: arena, flash, multiply-accumulates, estimated cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arenite.analysis.model_cost import model_cost
from arenite.analysis.statistics import statistics
from arenite.errors import AreniteError, ModelError
from arenite.formats import tflite
from arenite.libraries.library import why_no_costs
from arenite.memory.plan import PlannedBuffer
from arenite.model import Model
from arenite.optimize.difference import Difference
from arenite.optimize.outcome import Elsewhere, Note, Report
from arenite.optimize.stub_operators import resolver_for
from arenite.optimize.verify import Verification
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import HOST, Target

_CLOCK = 100.0


@dataclass(frozen=True)
class Figures:
    """Figures of a model on a target.

    Attributes:
        arena: Bytes of the smallest arena that works.
        head: Bytes of tensors and scratch memory in it.
        flash: Bytes of the model's file; None if it cannot be written.
        macs: Multiply-accumulates of one inference, as far as they are known.
        cycles: The estimate of ``arenite cost``; None where there is none for some operator.
        operators: How many there are.
        buffers: The plan of the head.
    """

    arena: int
    head: int
    flash: int | None
    macs: int
    cycles: int | None
    operators: int
    buffers: tuple[PlannedBuffer, ...] = field(repr=False)


@dataclass(frozen=True)
class PassFigures:
    """Work of one run of a pass; ``after`` are the figures of what it left."""

    name: str
    after: Figures
    is_change: bool
    changes: tuple[Note, ...]
    declined: tuple[Note, ...]
    seconds: float


@dataclass(frozen=True)
class Optimization:
    """A whole optimisation in figures."""

    file: str
    target: Target
    overlap: str
    original: Figures
    passes: tuple[PassFigures, ...]
    declined: tuple[Note, ...]
    verification: Verification | None
    elsewhere: tuple[Elsewhere, ...] = ()
    difference: Difference | None = None

    @property
    def unverified(self) -> str:
        """The reason why nothing was compared as it was meant to be; empty where it was."""
        far = "" if self.difference is None else self.difference.skipped
        return far or ("" if self.verification is None else self.verification.unfinished)

    @property
    def result(self) -> Figures:
        """Figures of the result."""
        return self.passes[-1].after if self.passes else self.original

    @property
    def is_change(self) -> bool:
        """Whether the result is another model."""
        return any(one.is_change for one in self.passes)


def optimization(report: Report) -> Optimization:
    """The figures of a report."""
    target = report.settings.target or HOST
    beside = report.settings.decompression_memory
    original = current = figures(report.original, target)
    passes = []
    for step in report.steps:
        current = figures(step.after, target, beside) if step.is_change else current
        passes.append(
            PassFigures(
                step.name, current, step.is_change, step.changes, step.declined, step.seconds
            )
        )
    return Optimization(
        report.original.source,
        target,
        report.settings.overlap,
        original,
        tuple(passes),
        report.declined,
        report.verification,
        report.elsewhere,
        report.difference,
    )


def figures(model: Model, target: Target, decompression_memory: int = 0) -> Figures:
    """Figures of a model on a target; zeros in the arena where it does not run.

    ``decompression_memory`` are bytes beside the arena for what TFLM_DECODE decodes.
    """
    counted = statistics(model)
    resolver, _ = resolver_for(model)
    arena, head = 0, 0
    buffers: tuple[PlannedBuffer, ...] = ()
    try:
        beside = (decompression_memory,) if decompression_memory else ()
        micro = MicroInterpreter.in_smallest_arena(
            model, resolver, target=target, decompression_memory=beside
        )
        arena, head = micro.allocations().peak.smallest_arena, micro.allocations().head
        buffers = tuple(b for b in micro.plan.buffers if b.kind != "variable")
    except AreniteError:
        pass
    operators = sum(len(subgraph.operators) for subgraph in model.subgraphs)
    return Figures(
        arena, head, _flash(model), counted.macs, _cycles(model, target), operators, buffers
    )


def _flash(model: Model) -> int | None:
    try:
        return len(tflite.write(model))
    except ModelError:
        return None


def _cycles(model: Model, target: Target) -> int | None:
    if why_no_costs(target):
        return None
    try:
        cost = model_cost(model, target, _CLOCK)
    except AreniteError:
        return None
    return None if cost.missing else cost.cycles


# -- facts -------------------------------------------------------------------------------


def optimization_facts(found: Optimization, output: str | None, ram: int | None) -> dict[str, Any]:
    """Everything that ``arenite optimize`` prints; see ``docs/cli.md`` for the keys."""
    return {
        "file": found.file,
        "output": output,
        "target": asdict(found.target),
        "overlap": found.overlap,
        "changed": found.is_change,
        "ram": ram,
        "fits": None if ram is None else found.result.arena <= ram,
        "original": _figure_facts(found.original),
        "result": _figure_facts(found.result),
        "passes": [_pass_facts(one) for one in found.passes],
        "verification": None if found.verification is None else asdict(found.verification),
        "difference": None if found.difference is None else asdict(found.difference),
        "elsewhere": [
            {"target": asdict(one.target), "before": one.before, "after": one.after}
            for one in found.elsewhere
        ],
    }


def _figure_facts(one: Figures) -> dict[str, Any]:
    names = ("arena", "head", "flash", "macs", "cycles", "operators")
    return {name: getattr(one, name) for name in names}


def _pass_facts(one: PassFigures) -> dict[str, Any]:
    return {
        "name": one.name,
        "changed": one.is_change,
        "after": _figure_facts(one.after),
        "changes": _note_facts(one.changes),
        "declined": _note_facts(one.declined),
        "seconds": one.seconds,
    }


def _note_facts(notes: Sequence[Note]) -> list[dict[str, str]]:
    return [note._asdict() for note in notes]
