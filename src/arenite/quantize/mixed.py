"""Precisions mixed until a budget is met: int4, int8 and int16 where each does least harm.

Every move (weights of a layer as int4, a tensor and whoever touches it as int16, ...) is measured
alone first, in the device's bits. Then moves are made one after the other, those first that cost
least quality for what they save, or that give most for what they take, until every limit is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from arenite.analysis.fit_time import time_of
from arenite.analysis.optimization import Figures, figures
from arenite.errors import AreniteError, QuantizationError
from arenite.model import Model, Operator
from arenite.model.types import INT4, INT8, INT16
from arenite.ops import scheme_of
from arenite.quantize.judge import Judge
from arenite.quantize.outcome import Candidate
from arenite.quantize.plan import FLOAT, Precision
from arenite.quantize.recipe import Recipe
from arenite.quantize.settings import Budget, Settings
from arenite.runtime.interpreter import Interpreter
from arenite.target import HOST, Target

#: Metrics of both models, float first, by name.
Score = Callable[[Model], Mapping[str, tuple[float, float]]]
Progress = Callable[[str, int, int], object]


class Point(NamedTuple):
    """A mixture, measured.

    ``milliseconds`` are the most that an inference may take; ``drop`` is what it loses of the
    accuracy, NaN without labels.
    """

    recipe: Recipe
    sqnr: float
    figures: Figures
    milliseconds: float | None
    drop: float

    def cost(self, name: str) -> float:
        """Cost in ``flash``, ``ram`` or ``milliseconds``."""
        if name == "milliseconds":
            return math.inf if self.milliseconds is None else self.milliseconds
        return float((self.figures.flash or 0) if name == "flash" else self.figures.arena)


class Move(NamedTuple):
    """Other precisions for some operators, and the mixture with them alone."""

    precisions: Mapping[int, Precision]
    alone: Point


@dataclass(eq=False)
class Search:
    """Mixtures that were measured, and what measures them.

    Attributes:
        judge: Whose dB count.
        settings: What was asked for.
        score: Metrics of a model; asked only where the budget has a ``max_drop``.
        points: All that were measured, in order.
    """

    judge: Judge
    settings: Settings
    score: Score
    progress: Progress
    points: list[Point] = field(default_factory=list)

    @property
    def budget(self) -> Budget:
        """The limits."""
        return self.settings.budget

    @property
    def target(self) -> Target:
        """The firmware whose memory and time count."""
        return self.settings.target or HOST

    def measured(self, recipe: Recipe) -> Point | None:
        """A mixture with its figures; None where TFLM does not run it."""
        made = recipe.written.model
        try:
            Interpreter(made, target=self.settings.target)
        except AreniteError:
            return None
        drop = math.nan
        if self.budget.max_drop is not None:
            ours, theirs = self.score(made).get("accuracy", (math.nan, math.nan))
            drop = ours - theirs
        cost = figures(made, self.target)
        known = None if cost.cycles is None else self.budget.clock
        time = time_of(made, self.target, known, board=self.budget.board).most
        point = Point(recipe, self.judge.sqnr(made), cost, time, drop)
        self.points.append(point)
        return point

    def limits(self) -> dict[str, float]:
        """Limits of costs, by name."""
        names = ("flash", "ram", "milliseconds")
        found = {name: getattr(self.budget, name) for name in names}
        return {name: float(limit) for name, limit in found.items() if limit is not None}

    def excess(self, point: Point) -> float:
        """The excess of costs over their limits, as a share of these; 0 where all are kept."""
        return sum(max(0.0, point.cost(name) / limit - 1) for name, limit in self.limits().items())

    def is_good(self, point: Point) -> bool:
        """Whether it is near enough to the float model."""
        budget = self.budget
        near = budget.min_sqnr is None or point.sqnr >= budget.min_sqnr
        return near and (budget.max_drop is None or point.drop <= budget.max_drop)


def mixed(
    recipe: Recipe, judge: Judge, settings: Settings, score: Score, progress: Progress
) -> tuple[Recipe, tuple[Candidate, ...]]:
    """A mixture that meets the budget, and all that were measured on the way.

    Raises:
        QuantizationError: No mixture does; says the nearest one.
    """
    search = Search(judge, settings, score, progress)
    start = search.measured(recipe)
    assert start is not None  # it has been judged before
    _require_knowable(search, start)
    found = start
    if search.excess(found):
        found = _cheaper(search, found)
    narrow = _all_int8(recipe) if search.excess(found) else {}
    low = search.measured(_with(recipe, narrow)) if narrow else None
    if low is not None and not search.excess(low):
        found = _better(search, low, enough=False)
    elif not search.is_good(found):
        found = _better(search, found, enough=True)
    if search.excess(found) or not search.is_good(found):
        raise QuantizationError(_why_not(search, found))
    return found.recipe, _candidates(search, found)


def _require_knowable(search: Search, start: Point) -> None:
    budget = search.budget
    if budget.max_drop is not None and math.isnan(start.drop):
        raise QuantizationError(
            "expected data with labels for a limit of the accuracy's drop (max_drop), got none; "
            "min_sqnr needs no labels"
        )
    if budget.milliseconds is not None and start.milliseconds is None:
        raise QuantizationError(
            f"a deadline needs a clock and a target whose costs are known, got clock "
            f"{budget.clock} and target {search.target}"
        )


# -- moves -------------------------------------------------------------------------------


def _moves(recipe: Recipe, kinds: Sequence[str]) -> Iterator[Mapping[int, Precision]]:
    """Other precisions of some operators, each a step in one direction."""
    main, plan = recipe.model.main, recipe.plan
    for position, op in enumerate(main.operators):
        now = plan.precisions.get(position, FLOAT)
        scheme = scheme_of(op.name)
        if now == FLOAT or scheme is None:
            continue
        stated = scheme.weights.values()
        if "narrow" in kinds and stated:
            if now.values is INT8 and now.weights is INT8 and any(INT4 in w.types for w in stated):
                yield {position: replace(now, weights=INT4)}
            if not now.spares and any(w.spares for w in stated):
                yield {position: replace(now, spares=True)}
        if "lower" in kinds and now.values is INT16:
            yield {position: replace(now, values=INT8)}
        if "raise" in kinds:
            if now.weights is INT4:
                yield {position: replace(now, weights=INT8)}
            around = _around(recipe, op)
            if around:
                yield around


def _around(recipe: Recipe, op: Operator) -> dict[int, Precision]:
    """int16 for an operator and for whoever reads what it writes."""
    main, plan = recipe.model.main, recipe.plan
    users = [
        position
        for position, one in enumerate(main.operators)
        if one is op or set(one.inputs).intersection(op.outputs)
    ]
    found = {}
    for position in users:
        now = plan.precisions.get(position, FLOAT)
        scheme = scheme_of(main.operators[position].name)
        if scheme is not None and now != FLOAT and now.values is INT8 and INT16 in scheme.types:
            found[position] = Precision(INT16, INT8, now.spares)
    return found


def _with(recipe: Recipe, precisions: Mapping[int, Precision]) -> Recipe:
    """A recipe with other precisions; what passes decided of those weights is void."""
    changes = recipe.changes
    integers = {n: one for n, one in changes.integers.items() if n not in precisions}
    scales = {n: one for n, one in changes.scales.items() if n not in precisions}
    return replace(
        recipe,
        wanted={**recipe.wanted, **precisions},
        changes=replace(changes, integers=integers, scales=scales),
    )


def _alone(search: Search, start: Point, kinds: Sequence[str]) -> list[Move]:
    """All moves, each measured alone."""
    moves = list(_moves(start.recipe, kinds))
    found = []
    for number, move in enumerate(moves):
        search.progress("measuring layers", number, len(moves))
        point = search.measured(_with(start.recipe, move))
        if point is not None:
            found.append(Move(move, point))
    return found


def _noise(point: Point) -> float:
    return math.pow(10.0, -point.sqnr / 10)


def _cheaper(search: Search, start: Point) -> Point:
    """Moves that save, until costs are within their limits: least harm for what is saved first."""

    def harm(move: Move) -> float:
        saved = search.excess(start) - search.excess(move.alone)
        return (_noise(move.alone) - _noise(start)) / saved

    moves = _alone(search, start, ("narrow", "lower"))
    useful = [one for one in moves if search.excess(one.alone) < search.excess(start)]
    found = start
    for move in sorted(useful, key=harm):
        point = search.measured(_with(found.recipe, move.precisions))
        if point is not None and search.excess(point) < search.excess(found):
            found = point
        if not search.excess(found):
            break
    # What was measured on the way may do with fewer moves.
    kept = [one for one in search.points if not search.excess(one)]
    return max(kept, key=lambda one: one.sqnr) if kept else found


def _all_int8(recipe: Recipe) -> dict[int, Precision]:
    """int8 for all that is int16."""
    return {
        position: replace(now, values=INT8)
        for position, now in recipe.plan.precisions.items()
        if now.values is INT16
    }


def _better(search: Search, start: Point, *, enough: bool) -> Point:
    """Moves that help: most gain for what is taken first.

    They end when it is near enough, or, where nothing is ``enough``, when limits of costs do.
    """

    def worth(move: Move) -> float:
        taken = sum(
            max(0.0, move.alone.cost(name) - start.cost(name)) / max(1.0, start.cost(name))
            for name in ("flash", "ram", "milliseconds")
            if start.cost(name) < math.inf
        )
        return (_noise(start) - _noise(move.alone)) / (taken + 1e-3)

    moves = _alone(search, start, ("raise",))
    found = start
    for move in sorted(moves, key=worth, reverse=True):
        point = search.measured(_with(found.recipe, move.precisions))
        if point is None or search.excess(point) > search.excess(found):
            continue
        if _noise(point) <= _noise(found):
            found = point
        if enough and search.is_good(found):
            break
    return found


# -- what comes out ----------------------------------------------------------------------


def _why_not(search: Search, found: Point) -> str:
    units = {"flash": "bytes of flash", "ram": "bytes of RAM", "milliseconds": "ms"}
    wanted = [f"{limit:,.10g} {units[name]}" for name, limit in search.limits().items()]
    budget = search.budget
    wanted += [] if budget.min_sqnr is None else [f"{budget.min_sqnr:g} dB"]
    wanted += [] if budget.max_drop is None else [f"an accuracy at most {budget.max_drop:g} lower"]
    time = "" if found.milliseconds is None else f", {found.milliseconds:.4g} ms"
    drop = "" if math.isnan(found.drop) else f", accuracy {found.drop:.4g} lower"
    return (
        f"no mixture of {len(search.points)} that were measured keeps {', '.join(wanted)}; the "
        f"nearest has {found.figures.flash:,} bytes of flash, {found.figures.arena:,} of RAM"
        f"{time}, {found.sqnr:.1f} dB{drop}"
    )


def _candidates(search: Search, chosen: Point) -> tuple[Candidate, ...]:
    """All mixtures as plain data, the cheapest first."""
    usual = search.points[0].recipe.plan.precisions
    found = []
    for point in search.points:
        changed = {
            position: str(one)
            for position, one in point.recipe.plan.precisions.items()
            if one != usual[position]
        }
        found.append(
            Candidate(
                point.sqnr,
                point.figures.flash or 0,
                point.figures.arena,
                point.milliseconds,
                None if math.isnan(point.drop) else point.drop,
                changed,
                is_front=not any(_dominates(other, point) for other in search.points),
                is_chosen=point is chosen,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.flash, -one.sqnr)))


def _dominates(a: Point, b: Point) -> bool:
    """Whether one is at least as good in everything, and better in something."""
    ours = (-a.sqnr, a.cost("flash"), a.cost("ram"), a.cost("milliseconds"))
    theirs = (-b.sqnr, b.cost("flash"), b.cost("ram"), b.cost("milliseconds"))
    return ours != theirs and all(x <= y for x, y in zip(ours, theirs, strict=True))
