"""The optimal planner takes the least memory there is, proves it, and always has a plan."""

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arenite as ar
from arenite.memory.greedy import greedy
from arenite.memory.optimal import optimal
from arenite.memory.problem import Buffer, Problem, Solution
from arenite.memory.validate import validate
from tests.memory.problems import least_height, random_problem
from tests.shared import shared_model


@pytest.mark.parametrize("seed", range(150))
def test_no_plan_is_lower_than_the_optimum(seed: int) -> None:
    shares = {"separated": (seed % 3) * 0.3, "offline": 0.2 if seed % 5 == 4 else 0.0}
    problem = random_problem(seed, 2 + seed % 5, moments=4, longest=3, largest=4, **shares)
    found = optimal(problem)
    validate(problem, found.solution)
    assert found.is_proved
    assert found.solution.size == found.lower_bound == least_height(problem)


def test_a_hole_that_greedy_leaves_is_filled() -> None:
    # Greedy puts the 30 on the 40 that lives long, and the 20s cannot go beside it.
    problem = Problem((Buffer(3, 0, 2), Buffer(2, 1, 4), Buffer(3, 3, 5), Buffer(2, 4, 6)))
    found = optimal(problem)
    assert found.solution.size == found.lower_bound == 5
    validate(problem, found.solution)


def test_nothing_to_plan_takes_nothing() -> None:
    assert optimal(Problem(())).solution == Solution((), 0)


def test_without_time_the_plan_is_that_of_greedy() -> None:
    problem = random_problem(3, 60, moments=20, longest=9, largest=50)
    found = optimal(problem, seconds=0)
    assert found.solution == greedy(problem)
    assert found.lower_bound <= found.solution.size


def test_what_takes_too_long_gives_the_best_so_far() -> None:
    problem = random_problem(1, 150, moments=40, longest=15, largest=1000)
    found = optimal(problem, seconds=0.3)
    validate(problem, found.solution)
    assert found.lower_bound <= found.solution.size <= greedy(problem).size


def test_thousands_of_buffers_alive_together_are_not_searched() -> None:
    problem = Problem(tuple(Buffer(1 + n % 7, n % 11, 20 + n % 13) for n in range(5000)))
    found = optimal(problem)
    validate(problem, found.solution)
    assert found.solution.size >= found.lower_bound > 0


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 0 or more seconds, got -1"):
        optimal(Problem(()), seconds=-1)


def test_progress_is_told() -> None:
    told: list[tuple[int, int, int]] = []
    problem = random_problem(0, 25, moments=20, longest=6, largest=40)
    found = optimal(problem, seconds=2, progress=lambda *facts: told.append(facts))
    assert told
    for height, bound, nodes in told:
        assert found.solution.size <= height
        assert bound <= height
        assert 0 < nodes <= found.nodes


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_a_plan_is_legal_and_the_same_every_time(seed: int) -> None:
    problem = random_problem(
        seed, 8, moments=8, longest=4, largest=9, alignment=16, separated=0.1, offline=0.1
    )
    found = optimal(problem)
    validate(problem, found.solution)
    assert optimal(problem) == found
    assert found.solution.size <= greedy(problem).size


def test_buffers_of_several_alignments_keep_theirs() -> None:
    buffers = tuple(Buffer(7 + n, n % 3, n % 3 + 2, 1 << n % 4) for n in range(9))
    found = optimal(Problem(buffers))
    validate(Problem(buffers), found.solution)
    assert found.is_proved


# -- against OR-tools, which formulates and searches on its own


def height_by_cp_sat(problem: Problem) -> int:
    cp_model: Any = pytest.importorskip("ortools.sat.python.cp_model")
    model = cp_model.CpModel()
    buffers, most = problem.buffers, greedy(problem).size
    allowed = {(s.lower, s.upper): s.distance for s in problem.separations}
    offsets = [model.NewIntVar(0, most - b.size, "") for b in buffers]
    height = model.NewIntVar(0, most, "")
    for offset, buffer in zip(offsets, buffers, strict=True):
        model.Add(offset + buffer.size <= height)
    for i, j in pairs(problem):
        is_below = model.NewBoolVar("")
        gap, back = allowed.get((i, j), buffers[i].size), allowed.get((j, i), buffers[j].size)
        model.Add(offsets[j] >= offsets[i] + gap).OnlyEnforceIf(is_below)
        model.Add(offsets[i] >= offsets[j] + back).OnlyEnforceIf(is_below.Not())
    model.Minimize(height)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_time_in_seconds = 60
    assert solver.Solve(model) == cp_model.OPTIMAL
    return int(solver.Value(height))


def pairs(problem: Problem) -> Iterator[tuple[int, int]]:
    for j, b in enumerate(problem.buffers):
        for i, a in enumerate(problem.buffers[:j]):
            if max(a.begin, b.begin) < min(a.end, b.end):
                yield i, j


@pytest.mark.skipif(not importlib.util.find_spec("ortools"), reason="OR-tools is not installed")
@pytest.mark.parametrize(("count", "separated"), [(12, 0.15), (18, 0.0)])
@pytest.mark.parametrize("seed", range(8))
def test_medium_problems_take_what_cp_sat_says(seed: int, count: int, separated: float) -> None:
    problem = random_problem(
        seed, count, moments=count * 3 // 4, longest=5, largest=40, separated=separated
    )
    found = optimal(problem, seconds=60)
    validate(problem, found.solution)
    assert found.is_proved
    assert found.solution.size == height_by_cp_sat(problem)


# -- real models: heads that were measured before this planner was written


@pytest.mark.parametrize(
    ("name", "target", "head", "by_greedy"),
    [
        ("kws_int8", None, 16_000, 16_000),
        ("vww_int8", None, 55_296, 73_728),
        ("vww_float32", None, 221_184, 294_912),
        ("vww_int8", "cortex-m4", 55_296, 73_728),
        ("vww_int8", "cortex-m55", 55_296, 73_728),
        ("ic_int8", "cortex-m4", 49_728, 49_728),
        ("sww_int8", "cortex-m4", 7_936, 7_936),
        ("sww_int8", "cortex-m55", 9_952, 11_280),
        ("person_detect", "cortex-m55", 55_296, 55_296),
        ("keyword_scrambled", "cortex-m4", 672, 672),
    ],
)
def test_heads_of_real_models(name: str, target: str | None, head: int, by_greedy: int) -> None:
    model = ar.load(shared_model(name))
    heads = [planned(model, target, planner).plan.head for planner in ("greedy", "optimal")]
    assert heads == [by_greedy, head]


def planned(model: ar.Model, target: str | None, planner: str) -> ar.MicroInterpreter:
    micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), 2 << 20, target=target, planner=planner)
    micro.allocate_tensors()
    return micro
