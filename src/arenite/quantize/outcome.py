"""Result of a quantisation, as plain data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from arenite.analysis.optimization import Figures
from arenite.callable_modules import html_of
from arenite.formats import tflite
from arenite.model import Model
from arenite.quantize.judge import LayerNoise, lost_most
from arenite.quantize.plan import Range
from arenite.quantize.seen import Seen
from arenite.quantize.settings import Budget, Settings

#: Parts of a histogram that are told.
_PARTS = 40


class Step(NamedTuple):
    """One way to a better model that was tried.

    ``before`` and ``after`` are the SQNR of the outputs in dB, on samples that it did not learn
    from; what made it worse was not kept.
    """

    name: str
    detail: str
    before: float
    after: float
    kept: bool
    seconds: float


class Floating(NamedTuple):
    """An operator that stays float, and why."""

    position: int
    name: str
    tensor: str
    reason: str


class Spread(NamedTuple):
    """A tensor's values next to the range that its integers stand for."""

    tensor: str
    seen: Seen
    range: Range


class Candidate(NamedTuple):
    """A mixture of precisions, what it costs and how near it is.

    ``milliseconds`` is None without a clock, ``drop``, what it loses of the accuracy, where nobody
    asked for it. ``changed`` says which operators have
    another precision than at first, by position.
    """

    sqnr: float
    flash: int
    arena: int
    milliseconds: float | None
    drop: float | None
    changed: Mapping[int, str]
    is_front: bool
    is_chosen: bool


@dataclass(frozen=True, eq=False)
class Report:
    """Report on a float model's quantisation, and how near the result is.

    Attributes:
        original: The float model.
        model: The quantised one.
        settings: What was asked for.
        samples: How many samples ranges were taken from.
        judged: How many samples the figures in dB are of.
        apart: Whether those are others; of few samples all do both.
        sqnr: Of the outputs, in dB, in the bits of the target.
        steps: What was tried, in order.
        layers: The SQNR of every operator's output.
        floating: What stays float.
        spreads: Ranges and histograms.
        before: What the float model takes on the target.
        after: What the quantised model takes.
        scores: Metrics of both by name, where there are labels: ``{"accuracy": (0.97, 0.96)}``.
        front: Mixtures of precisions that were measured, where there was a budget.
        notes: What looks odd.
        rewritten: What was done to the float model first, in words.
        pixels: The real numbers that pictures' bytes stood for, in words.
        agreement: The share of judged samples with the float model's class, of classifiers.
    """

    original: Model
    model: Model
    settings: Settings
    samples: int
    judged: int
    sqnr: float
    steps: tuple[Step, ...]
    layers: tuple[LayerNoise, ...]
    floating: tuple[Floating, ...]
    spreads: tuple[Spread, ...]
    before: Figures
    after: Figures
    scores: Mapping[str, tuple[float, float]]
    front: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    apart: bool = True
    agreement: float | None = None
    pixels: str = ""

    _repr_html_ = html_of

    def __repr__(self) -> str:
        lines = [
            f"<Quantisation of {self.original.source or '(built)'}: {self.sqnr:.1f} dB, arena "
            f"{self.before.arena:,} to {self.after.arena:,} bytes"
        ]
        lines += [f"  {one.name} stays float: {one.reason}" for one in self.floating]
        return "\n".join(lines) + ">"


def _budget_facts(budget: Budget) -> dict[str, Any]:
    """Limits by name; a board's name alone."""
    return {**asdict(budget), "board": None if budget.board is None else budget.board.name}


def quantization_facts(report: Report) -> dict[str, Any]:
    """Everything that ``arenite quantize`` prints; see ``docs/cli.md`` for the keys."""
    lost = lost_most(report.layers)
    return {
        "file": report.original.source,
        "sha256": digest(report.model),
        "activations": report.settings.activations,
        "io": report.settings.ports,
        "target": None if report.settings.target is None else str(report.settings.target),
        "samples": report.samples,
        "judged": report.judged,
        "pixels": report.pixels or None,
        "apart": report.apart,
        "agreement": report.agreement,
        "sqnr_db": report.sqnr,
        "steps": [one._asdict() for one in report.steps],
        "layers": [{**vars(one), "lost_db": lost[one.position]} for one in report.layers],
        "floating": [one._asdict() for one in report.floating],
        "ranges": [
            {
                "tensor": one.tensor,
                "low": one.range[0],
                "high": one.range[1],
                "least": one.seen.low,
                "largest": one.seen.high,
                "values": one.seen.count,
                "histogram": dict(
                    zip(("begin", "end", "counts"), one.seen.coarse(_PARTS), strict=True)
                ),
            }
            for one in report.spreads
        ],
        "before": _figures(report.before),
        "after": _figures(report.after),
        "scores": {name: list(both) for name, both in report.scores.items()},
        "budget": _budget_facts(report.settings.budget),
        "front": [one._asdict() | {"changed": dict(one.changed)} for one in report.front],
        "notes": list(report.notes),
        "rewritten": list(report.rewritten),
    }


def digest(model: Model) -> str:
    """Digest that tells a model's file from others."""
    return hashlib.sha256(tflite.write(model)).hexdigest()


def _figures(one: Figures) -> dict[str, Any]:
    return {
        "arena": one.arena,
        "flash": one.flash,
        "macs": one.macs,
        "cycles": one.cycles,
        "operators": one.operators,
    }
