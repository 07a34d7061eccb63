"""How low the head of an arena could be: TFLM's plan, the best one, what none is below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arenite.analysis.arena_use import Firmware, arena_use, needed_by
from arenite.memory.lower_bound import lower_bound
from arenite.memory.optimal import Progress, optimal
from arenite.memory.plan import PlannedBuffer, problem_of, solve
from arenite.model import Model
from arenite.model.offline_plan import Origin, origin_in
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
    """What every pass would win, one after the other; nothing is verified and nothing written."""
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
    buffers = [_online(buffer) for buffer in use.head_buffers]
    is_own = any(b.offline_offset is not None for b in use.head_buffers)
    problem = problem_of(buffers)
    found = optimal(problem, progress=progress)
    _, height = solve(buffers, "optimal")
    _, greedy = solve(buffers, "greedy") if is_own else ([], use.plan.head)
    bound = max(lower_bound(problem), found.lower_bound)
    arena = peak.smallest_arena
    best = arena if is_own else needed_by(model, Firmware("optimal", target)).smallest_arena
    return HeadPlans(
        use.plan.head if is_own else None,
        origin_in(model.metadata) if is_own else None,
        greedy,
        height,
        bound,
        height <= bound,
        arena,
        best,
    )


def _online(b: PlannedBuffer) -> PlannedBuffer:
    return PlannedBuffer(b.name, b.kind, b.subgraph, b.index, 0, b.size, b.begin, b.end)
