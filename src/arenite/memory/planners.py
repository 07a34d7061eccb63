"""The planners by name."""

from __future__ import annotations

from arenite.memory.greedy import greedy
from arenite.memory.linear import linear
from arenite.memory.problem import Planner, Problem, Solution
from arenite.memory.validate import validate

_PLANNERS: dict[str, Planner] = {"greedy": greedy, "linear": linear}


def register_planner(name: str, planner: Planner) -> None:
    """Add a planner under a name.

    Raises:
        ValueError: The name is taken.
    """
    if name in _PLANNERS:
        raise ValueError(f"a planner named {name!r} is registered already")
    _PLANNERS[name] = planner


def planner_names() -> list[str]:
    """Names of all planners, sorted."""
    return sorted(_PLANNERS)


def find_planner(name: str) -> Planner:
    """The planner of that name.

    Raises:
        ValueError: There is none.
    """
    if name not in _PLANNERS:
        raise ValueError(f"expected a planner of {', '.join(planner_names())}, got {name!r}")
    return _PLANNERS[name]


def plan(problem: Problem, name: str) -> Solution:
    """Solve with the named planner and validate the result.

    Raises:
        PlanError: The problem is beyond the planner, or its plan is wrong.
        ValueError: There is no planner of that name.
    """
    solution = find_planner(name)(problem)
    validate(problem, solution)
    return solution
