"""The validator refuses every kind of wrong plan and accepts right ones."""

from random import Random

import pytest

from arenite.errors import PlanError
from arenite.memory.greedy import greedy
from arenite.memory.planners import MemoryPlanner, plan, planner_names, register_planner
from arenite.memory.problem import Buffer, Problem, Separation, Solution
from arenite.memory.validate import validate

A, B = Buffer(10, 0, 2), Buffer(10, 1, 3)


def test_neighbours_in_memory_are_fine() -> None:
    validate(Problem((A, B)), Solution((0, 10), 20))


def test_neighbours_in_time_may_share_memory() -> None:
    validate(Problem((A, Buffer(10, 2, 3))), Solution((0, 0), 10))


def test_overlap_of_one_byte_is_found() -> None:
    with pytest.raises(PlanError, match="buffers 0 and 1 overlap: bytes 0 to 10 and 9 to 19"):
        validate(Problem((A, B)), Solution((0, 9), 20))


def test_overlap_with_an_offline_buffer_is_found() -> None:
    fixed = Buffer(10, 0, 2, offline_offset=5)
    with pytest.raises(PlanError, match="overlap"):
        validate(Problem((fixed, B)), Solution((5, 0), 20))


def test_two_offline_buffers_may_overlap() -> None:
    fixed = Buffer(10, 0, 2, offline_offset=0)
    validate(Problem((fixed, fixed)), Solution((0, 0), 10))


def test_an_empty_buffer_overlaps_nothing() -> None:
    validate(Problem((A, Buffer(0, 0, 2))), Solution((0, 5), 10))


def test_an_overlap_is_fine_from_the_separations_distance_on() -> None:
    problem = Problem((A, B), (Separation(lower=1, upper=0, distance=4),))
    validate(problem, Solution((4, 0), 14))
    with pytest.raises(PlanError, match="buffers 0 and 1 overlap: bytes 3 to 13 and 0 to 10"):
        validate(problem, Solution((3, 0), 13))


def test_a_separation_counts_for_its_own_order_only() -> None:
    problem = Problem((A, B), (Separation(lower=1, upper=0, distance=4),))
    with pytest.raises(PlanError, match="buffers 0 and 1 overlap"):
        validate(problem, Solution((0, 4), 14))


def test_a_separation_of_nothing_allows_equal_places() -> None:
    validate(Problem((A, B), (Separation(0, 1, 0),)), Solution((0, 0), 10))


def test_a_separation_of_two_allows_nothing_to_a_third() -> None:
    problem = Problem((A, B, Buffer(4, 1, 2)), (Separation(1, 0, 4),))
    with pytest.raises(PlanError, match="buffers 0 and 2 overlap"):
        validate(problem, Solution((4, 0, 12), 20))


def test_an_empty_buffer_within_an_allowed_overlap_is_fine() -> None:
    problem = Problem((A, B, Buffer(0, 0, 2)), (Separation(1, 0, 4),))
    validate(problem, Solution((4, 0, 7), 14))


@pytest.mark.parametrize(
    ("separation", "message"),
    [
        (Separation(0, 2, 4), "expected separations of buffers 0 to 1, got one of 0 and 2"),
        (Separation(-1, 0, 4), "expected separations of buffers 0 to 1, got one of -1 and 0"),
        (Separation(0, 1, -4), "expected a distance of 0 or more bytes .* got -4"),
    ],
)
def test_a_separation_without_sense_is_refused(separation: Separation, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        validate(Problem((A, B), (separation,)), Solution((0, 10), 20))


@pytest.mark.parametrize("seed", range(8))
def test_an_overlap_is_found_among_many(seed: int) -> None:
    draw = Random(seed)
    lifetimes = [(begin := draw.randrange(400), begin + 1 + draw.randrange(60)) for _ in range(400)]
    problem = Problem(tuple(Buffer(16 * draw.randrange(1, 40), *life, 16) for life in lifetimes))
    plan = greedy(problem)
    validate(problem, plan)
    moved = draw.choice([index for index, offset in enumerate(plan.offsets) if offset])
    offsets = [*plan.offsets]
    # Greedy left no room below, so 16 bytes lower it lies in another one.
    offsets[moved] -= 16
    with pytest.raises(PlanError, match=rf"buffers (\d+ and {moved}|{moved} and \d+) overlap"):
        validate(problem, Solution(tuple(offsets), plan.size))


def is_right(problem: Problem, solution: Solution) -> bool:
    """Whether no two buffers share a byte and a moment, pair by pair."""
    placed = list(zip(problem.buffers, solution.offsets, strict=True))
    return not any(
        max(a.begin, b.begin) < min(a.end, b.end)
        and max(at, there) < min(at + a.size, there + b.size)
        and (a.offline_offset is None or b.offline_offset is None)
        for number, (a, at) in enumerate(placed)
        for b, there in placed[:number]
    )


@pytest.mark.parametrize("seed", range(60))
def test_it_sees_what_looking_at_all_pairs_shows(seed: int) -> None:
    draw = Random(seed)
    count = draw.choice((3, 5, 8, 40, 400))
    buffers, offsets = [], []
    pace = draw.choice((1, 1000))  # lifetimes are long then
    for _ in range(count):
        begin, size, at = draw.randrange(9), draw.randrange(4), draw.randrange(count * count)
        fixed = at if draw.random() < 0.1 else None
        end = begin + 1 + draw.randrange(9)
        buffers.append(Buffer(size, begin * pace, end * pace, 1, fixed))
        offsets.append(at)
    problem, solution = Problem(tuple(buffers)), Solution(tuple(offsets), 10**9)
    if is_right(problem, solution):
        validate(problem, solution)
        return
    with pytest.raises(PlanError, match="overlap"):
        validate(problem, solution)


@pytest.mark.parametrize("offset", [-1, 11])
def test_a_place_outside_is_found(offset: int) -> None:
    with pytest.raises(PlanError, match="are outside of 20"):
        validate(Problem((A,)), Solution((offset,), 20))


def test_misalignment_is_found() -> None:
    with pytest.raises(PlanError, match="offset 8 is not a multiple of 16"):
        validate(Problem((Buffer(4, 0, 1, 16),)), Solution((8,), 20))


def test_a_moved_offline_buffer_is_found() -> None:
    with pytest.raises(PlanError, match="expected its offline offset 16, got 0"):
        validate(Problem((Buffer(4, 0, 1, 16, 16),)), Solution((0,), 20))


def test_missing_offsets_are_found() -> None:
    with pytest.raises(PlanError, match="expected 2 offsets, got 1"):
        validate(Problem((A, B)), Solution((0,), 20))


def test_a_registered_planner_is_validated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arenite.memory.planners._PLANNERS", {})
    register_planner(MemoryPlanner("all at zero", lambda p: Solution((0,) * len(p.buffers), 10)))
    assert planner_names() == ["all at zero"]
    assert plan(Problem((A,)), "all at zero").size == 10
    with pytest.raises(PlanError, match="overlap"):
        plan(Problem((A, B)), "all at zero")


def test_a_planner_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="'greedy' is registered already"):
        register_planner(MemoryPlanner("greedy", lambda problem: Solution((), 0)))


def test_an_unknown_planner_lists_those_there_are() -> None:
    with pytest.raises(
        ValueError, match="expected a planner of greedy, linear, optimal, got 'best'"
    ):
        plan(Problem(()), "best")
