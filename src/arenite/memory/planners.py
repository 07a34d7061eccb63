"""The planners: how each solves a problem, and what TFLM keeps in the arena for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from arenite.memory import structs
from arenite.memory.abi import Abi, Struct
from arenite.memory.greedy import greedy
from arenite.memory.linear import linear
from arenite.memory.problem import Planner, Problem, Solution
from arenite.memory.validate import validate


class MemoryPlanner(NamedTuple):
    """A planner as an allocator uses it.

    Attributes:
        name: What ``planner=`` takes.
        solve: Finds an offset for every buffer.
        struct: The planner's object in the tail. A planner that TFLM does not have counts like
            its greedy one.
        per_buffer: What planning needs for a moment, for every buffer; None for nothing.
        preserves_all_tensors: Whether every tensor keeps its value until the end of an inference.
        is_for_models: Whether a firmware gets its plans in the model, and places scratch buffers
            with its own greedy planner.
    """

    name: str
    solve: Planner
    struct: Struct = structs.GREEDY_MEMORY_PLANNER
    per_buffer: Struct | None = structs.GREEDY_PER_BUFFER
    preserves_all_tensors: bool = False
    is_for_models: bool = False

    def workspace(self, buffers: int, abi: Abi) -> int:
        """Bytes between temp and tail that planning so many buffers takes."""
        return 0 if self.per_buffer is None else buffers * self.per_buffer.size(abi)


def _optimal(problem: Problem) -> Solution:
    from arenite.memory.optimal import optimal_plan  # noqa: PLC0415 - few plans take it

    return optimal_plan(problem)


GREEDY = MemoryPlanner("greedy", greedy)
LINEAR = MemoryPlanner(
    "linear",
    linear,
    struct=structs.LINEAR_MEMORY_PLANNER,
    per_buffer=None,
    preserves_all_tensors=True,
)

#: TFLM has no such planner: its plan reaches a firmware in the model, for the greedy planner.
OPTIMAL = MemoryPlanner("optimal", _optimal, is_for_models=True)

_PLANNERS: dict[str, MemoryPlanner] = {p.name: p for p in (GREEDY, LINEAR, OPTIMAL)}


def register_planner(planner: MemoryPlanner) -> None:
    """Add a planner under its name.

    Raises:
        ValueError: The name is taken.
    """
    if planner.name in _PLANNERS:
        raise ValueError(f"a planner named {planner.name!r} is registered already")
    _PLANNERS[planner.name] = planner


def planner_names() -> list[str]:
    """Names of all planners, sorted."""
    return sorted(_PLANNERS)


def find_planner(name: str) -> MemoryPlanner:
    """The planner of that name.

    Raises:
        ValueError: There is none.
    """
    if name not in _PLANNERS:
        raise ValueError(f"expected a planner of {', '.join(planner_names())}, got {name!r}")
    return _PLANNERS[name]


def planner_for(name: str, *, preserve_all_tensors: bool) -> str:
    """The planner that an interpreter takes: TFLM's linear one where tensors are preserved.

    TFLM ``micro_interpreter.cc`` (``preserve_all_tensors`` means ``MemoryPlannerType::kLinear``).
    """
    if not preserve_all_tensors or find_planner(name).preserves_all_tensors:
        return name
    return LINEAR.name


def plan(problem: Problem, name: str, scratch: Collection[int] = ()) -> Solution:
    """Solve with the named planner and validate the result.

    ``scratch`` are the numbers of the buffers that no plan in a model can place.

    Raises:
        PlanError: The problem is beyond the planner, or its plan is wrong.
        ValueError: There is no planner of that name.
    """
    planner = find_planner(name)
    if planner.is_for_models:
        from arenite.memory.scratch_placement import solve_for_firmware  # noqa: PLC0415 - as above

        solution = solve_for_firmware(problem, planner.solve, scratch)
    else:
        solution = planner.solve(problem)
    validate(problem, solution)
    return solution
