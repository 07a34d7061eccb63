"""All that can be said of a model on a target, and of what cannot be said, why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from arenite.analysis.compare import Comparison, compare
from arenite.analysis.convolution_walk import ConvolutionWalk, convolution_walk, has_walk
from arenite.analysis.device import DeviceOperator
from arenite.analysis.devices import device_of
from arenite.analysis.engines.sides import Side, random_runs
from arenite.analysis.explanation import Explanation, explanation
from arenite.analysis.fit import Fit, Limits, judged
from arenite.analysis.head_plans import PlannedHead, planned_head
from arenite.analysis.model_cost import ModelCost, model_cost, why_incomplete
from arenite.analysis.refusal import refused_with
from arenite.analysis.resolver_code import Resolver, resolver
from arenite.analysis.statistics import ModelStatistics, statistics
from arenite.boards import Board
from arenite.errors import AreniteError
from arenite.formats import Source, model_of
from arenite.libraries.library import why_no_costs
from arenite.memory.optimal import Progress
from arenite.model import Model
from arenite.quantity import milliseconds_of
from arenite.target import Target

_T = TypeVar("_T")


@dataclass(frozen=True)
class Obstacle:
    """Obstacle of a model, or what is not known of it: of what that is true, and why."""

    about: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Walked:
    """An int8 convolution and the way of its first output value."""

    operator: DeviceOperator
    walk: ConvolutionWalk


@dataclass(frozen=True)
class Overview:
    """A model on a target; None is what ``obstacles`` have the reason of.

    Attributes:
        model: The model.
        target: The firmware that is meant.
        clock: Of its processor, in MHz; None if none was said.
        board: Where it runs; None if none was named.
        fit: What the model needs, next to what the board has if one was named.
        statistics: Sizes and multiply-accumulates, of the model alone.
        resolver: How a firmware registers its operators.
        head: Every plan of the arena's head.
        cost: What an inference takes.
        explanation: Which function every operator takes.
        walked: The first int8 convolution, if there is one.
        comparisons: With other sides.
        obstacles: What stands in the way.
    """

    model: Model
    target: Target
    clock: float | None
    board: Board | None
    fit: Fit | None
    statistics: ModelStatistics
    resolver: Resolver
    head: PlannedHead | None
    cost: ModelCost | None
    explanation: Explanation | None
    walked: Walked | None
    comparisons: tuple[Comparison, ...]
    obstacles: tuple[Obstacle, ...]


def overview(
    model: Model | Source,
    *,
    target: Target | str | None = None,
    clock: float | None = None,
    board: Board | str | None = None,
    deadline: float | str | None = None,
    compare_with: Sequence[str | Side] = (),
    progress: Progress | None = None,
) -> Overview:
    """Everything about a model on a target.

    Args:
        model: A model, a file's path, or a file's bytes.
        target: The firmware that is meant; by default the board's, or ``"cortex-m4"``.
        clock: Of the processor, in MHz; by default the board's.
        board: What it shall fit, as :func:`arenite.fit` takes it.
        deadline: The limit of an inference; takes a clock.
        compare_with: Other sides, as :func:`arenite.compare` takes them.
        progress: Told how the search for the best plan goes on.

    Raises:
        ValueError: There is no such target, board or side, or a deadline without a clock.
        ModelError: The file is broken.
    """
    found = model_of(model)
    device = device_of(board, target, clock, model=found)
    facts, firmware, clock = device.board, device.target, device.clock
    limits = _limits(facts, clock, deadline)
    reasons = _Reasons()
    cpp = resolver(found)
    if cpp.missing:
        names = ", ".join(cpp.missing)
        reasons.add("TensorFlow Lite Micro", f"It does not have: {names}")
    refused = refused_with(found)
    if refused is not None:
        reasons.add("TensorFlow Lite Micro", str(refused))
    head = reasons.tried("the arena", lambda: planned_head(found, firmware, progress))
    cost = reasons.tried("the costs", lambda: _cost(found, firmware, clock, facts))
    what = reasons.tried("the paths", lambda: explanation(found, firmware))
    incomplete = None if cost is None else why_incomplete(cost)
    if incomplete is not None:
        reasons.add("the costs", incomplete)
    here = Side(Path(found.source).name or "the model", found)
    return Overview(
        model=found,
        target=firmware,
        clock=clock,
        board=facts,
        fit=reasons.tried("whether it fits", lambda: judged(found, firmware, facts, limits)),
        statistics=statistics(found),
        resolver=cpp,
        head=head,
        cost=cost,
        explanation=what,
        walked=None if what is None else reasons.tried("the walk", lambda: _walked(found, what)),
        comparisons=tuple(_comparisons(here, compare_with, reasons)),
        obstacles=reasons.obstacles,
    )


def _limits(board: Board | None, clock: float | None, deadline: float | str | None) -> Limits:
    if deadline is not None and clock is None:
        raise ValueError("expected a clock for the deadline: a board, or clock in MHz")
    until = None if deadline is None else milliseconds_of(deadline)
    if board is None:
        return Limits(deadline=until, clock=clock)
    return Limits(board.room(), board.flash, until, clock)


class _Reasons:
    """Obstacles, each reason once."""

    def __init__(self) -> None:
        self._abouts: dict[str, list[str]] = {}

    def add(self, about: str, reason: str) -> None:
        self._abouts.setdefault(reason, []).append(about)

    def tried(self, about: str, make: Callable[[], _T]) -> _T | None:
        """Result of ``make``, or None with the reason kept."""
        try:
            return make()
        except (AreniteError, MemoryError) as error:
            self.add(about, str(error) or type(error).__name__)
            return None

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        return tuple(
            Obstacle(tuple(dict.fromkeys(abouts)), reason)
            for reason, abouts in self._abouts.items()
        )


class _UnknownError(AreniteError):
    """Nothing is known of that target."""


def _cost(model: Model, target: Target, clock: float | None, board: Board | None) -> ModelCost:
    if reason := why_no_costs(target):
        raise _UnknownError(f"{reason[0].upper()}{reason[1:]}.")
    return model_cost(model, target, clock, board)


def _walked(model: Model, what: Explanation) -> Walked | None:
    """The first such convolution of the main subgraph: an inference may not run the others."""
    operators = (one for one in what.operators if one.subgraph == 0 and has_walk(one, what.target))
    operator = next(operators, None)
    if operator is None:
        return None
    inputs = random_runs(model, 1, 0)[-1]
    return Walked(operator, convolution_walk(model, operator, what.target, inputs))


def _comparisons(
    here: Side, others: Sequence[str | Side], reasons: _Reasons
) -> Sequence[Comparison]:
    found = []
    for other in others:
        name = other if isinstance(other, str) else other.label
        one = reasons.tried(f"the comparison with {name}", lambda other=other: compare(here, other))  # type: ignore[misc]
        found += [] if one is None else [one]
    return found
