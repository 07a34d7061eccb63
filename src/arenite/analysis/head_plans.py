"""The head of an arena, at its lowest: TFLM's plan, the best one, what none is below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from arenite.analysis.arena_use import ArenaUse, Firmware, arena_use, needed_by
from arenite.memory.abi import align_up
from arenite.memory.arena import ARENA_ALIGNMENT
from arenite.memory.liveness import Moment, moments
from arenite.memory.lower_bound import lower_bound
from arenite.memory.optimal import Progress, optimal
from arenite.memory.plan import PlannedBuffer, problem_of, solve
from arenite.model import Model
from arenite.model.offline_plan import Origin, origin_in
from arenite.ops import places_operands
from arenite.optimize.optimizer import optimize
from arenite.target import Target


@dataclass(frozen=True)
class HeadPlans:
    """Plans of one model's head, in bytes, as the firmware ends up with them.

    Attributes:
        own: Head by the plan that the file brings, or None.
        made_for: For whose kernels that plan was made; None where nothing says so.
        greedy: Head by TFLM's planner alone.
        optimal: Head by the best plan that was found.
        lower_bound: What every plan takes in which no tensor lies on another.
        is_proved: Whether ``optimal`` is the least.
        arena: The smallest arena with the file as it is.
        optimal_arena: The smallest arena with the best plan.
    """

    own: int | None
    made_for: Origin | None
    greedy: int
    optimal: int
    lower_bound: int
    is_proved: bool
    arena: int
    optimal_arena: int


class PlacedHead(NamedTuple):
    """A plan with its buffers: ``"the file's own"``, ``"greedy"`` or ``"best"``, bytes, places."""

    name: str
    height: int
    buffers: tuple[PlannedBuffer, ...]


@dataclass(frozen=True)
class PlannedHead:
    """Every plan of one model's head, to look at.

    Attributes:
        use: The arena with the file as it is.
        plans: The figures.
        placed: The plans, with the buffers that are ever alive.
        alive: Bytes that are alive at each moment, as planners round them up.
        moments: What happens at each.
    """

    use: ArenaUse
    plans: HeadPlans
    placed: tuple[PlacedHead, ...]
    alive: tuple[int, ...]
    moments: tuple[Moment, ...]

    @property
    def by_height(self) -> list[list[PlacedHead]]:
        """Plans that are as high together, in their order: one is as good as the other."""
        found: dict[int, list[PlacedHead]] = {}
        for plan in self.placed:
            found.setdefault(plan.height, []).append(plan)
        return list(found.values())

    @property
    def peak(self) -> list[int]:
        """The moments at which most is alive."""
        most = max(self.alive, default=0)
        return [moment for moment, count in enumerate(self.alive) if count == most > 0]


@dataclass(frozen=True)
class PassWin:
    """A pass of ``arenite optimize``, and the smallest arena behind it.

    Attributes:
        name: The pass.
        arena: Bytes.
        changes: What it did; nothing where it found nothing to do.
    """

    name: str
    arena: int
    changes: tuple[str, ...]

    @property
    def first_change(self) -> str:
        """A change, and how many there are."""
        if not self.changes:
            return "nothing to do"
        more = f" (and {len(self.changes) - 1} more)" if len(self.changes) > 1 else ""
        return f"{self.changes[0]}{more}"


def pass_wins(model: Model, target: Target) -> list[PassWin]:
    """Wins of every pass, one after the other; nothing is verified and nothing written."""
    _, report = optimize(model, target, verify=0)
    wins = []
    for step in report.steps:
        arena = needed_by(step.after, Firmware("greedy", target)).smallest_arena
        wins.append(PassWin(step.name, arena, tuple(map(str, step.changes))))
    return wins


def plan_facts(plans: HeadPlans, wins: Sequence[PassWin] | None) -> dict[str, Any]:
    """Both for JSON."""
    passes = {} if wins is None else {"passes": [asdict(win) for win in wins]}
    made_for = None if plans.made_for is None else plans.made_for._asdict()
    return {"plans": {**asdict(plans), "made_for": made_for}, **passes}


def head_plans(model: Model, target: Target, progress: Progress | None = None) -> HeadPlans:
    """Plan a model's head in every way: the figures of :func:`planned_head`."""
    return planned_head(model, target, progress).plans


def planned_head(model: Model, target: Target, progress: Progress | None = None) -> PlannedHead:
    """Plan a model's head in every way.

    Args:
        model: The model.
        target: The firmware.
        progress: Told how the search for the best plan goes on.

    Raises:
        UnsupportedOperatorError, ConstraintError: The model cannot be allocated.
    """
    firmware = Firmware("greedy", target)
    peak = needed_by(model, firmware)
    use = arena_use(model, firmware, peak.smallest_arena)
    buffers = [online(buffer) for buffer in use.head_buffers]
    is_own = any(b.offline_offset is not None for b in use.head_buffers)
    own = use.head_buffers, use.plan.head
    if any(places_operands(one) for graph in model.subgraphs for one in graph.operators):
        # Where tensors lie is part of what commands compute: there is no other plan.
        greedy, (best, height), bound = own, own, use.plan.head
    else:
        problem = problem_of(buffers)
        found = optimal(problem, progress=progress)
        best, height = solve(buffers, "optimal")
        greedy = solve(buffers, "greedy") if is_own else own
        bound = max(lower_bound(problem), found.lower_bound)
    arena = peak.smallest_arena
    best_arena = arena if is_own else needed_by(model, Firmware("optimal", target)).smallest_arena
    plans = HeadPlans(
        use.plan.head if is_own else None,
        origin_in(model.metadata) if is_own else None,
        greedy[1],
        height,
        bound,
        height <= bound,
        arena,
        best_arena,
    )
    placed = [_placed("the file's own", use.head_buffers, use.plan.head)] if is_own else []
    placed += [_placed("greedy", *greedy), _placed("best", best, height)]
    when = tuple(moments(model))
    return PlannedHead(use, plans, tuple(placed), _alive(buffers, len(when)), when)


def _placed(name: str, buffers: Sequence[PlannedBuffer], height: int) -> PlacedHead:
    return PlacedHead(name, height, tuple(b for b in buffers if b.end > max(b.begin, 0)))


def _alive(buffers: Sequence[PlannedBuffer], moment_count: int) -> tuple[int, ...]:
    changes = [0] * (moment_count + 1)
    for b in buffers:
        if b.end > max(b.begin, 0):
            size = align_up(b.size, ARENA_ALIGNMENT)
            changes[max(b.begin, 0)] += size
            changes[b.end] -= size
    return tuple(accumulate(changes))[:moment_count]


def online(buffer: PlannedBuffer) -> PlannedBuffer:
    """A buffer without the place that the file's plan gives it."""
    return replace(buffer, offset=0, offline_offset=None)
