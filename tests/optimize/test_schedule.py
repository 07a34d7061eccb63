"""Orders of tasks: the least peak of all orders, proved, or the best of a beam."""

from itertools import permutations

import pytest

from arenite.optimize import _schedule
from arenite.optimize._schedule import (
    Graph,
    Schedule,
    Task,
    Work,
    least_peak,
    peak_of,
    pinned_behind,
)
from arenite.optimize.effort import Effort
from tests.optimize.orders import is_legal, random_work, told


@pytest.mark.parametrize("seed", range(60))
def test_no_order_of_all_has_a_lower_peak(seed: int) -> None:
    work = random_work(seed, 2 + seed % 6)
    found = least_peak(work)
    orders = [order for order in permutations(range(len(work.tasks))) if is_legal(work, order)]
    assert found.is_proved
    assert is_legal(work, found.order)
    assert found.peak == told(work, found.order) == min(told(work, order) for order in orders)


@pytest.mark.parametrize("seed", range(20))
def test_the_peak_of_an_order_is_that_of_its_lifetimes(seed: int) -> None:
    work = random_work(seed, 9)
    assert peak_of(work, range(9)) == told(work, tuple(range(9)))


@pytest.mark.parametrize("seed", range(20))
def test_after_too_many_sets_a_beam_finds_no_worse_than_the_own_order(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_schedule, "_BEAM", 3)
    work = random_work(seed, 14)
    found = least_peak(work, most_sets=5)
    assert not found.is_proved
    assert is_legal(work, found.order)
    assert least_peak(work).peak <= found.peak == told(work, found.order)
    assert found.peak <= peak_of(work, range(14))


def test_an_order_that_is_best_already_is_kept() -> None:
    work = Work((Task((0,), (1,)), Task((1,), (2,))), {0: 4, 1: 4, 2: 4}, (0,), frozenset({2}))
    assert least_peak(work).order == (0, 1)


def test_branches_one_after_the_other_take_less_than_level_by_level() -> None:
    wide_a, wide_b, thin_a, thin_b = 1, 2, 3, 4
    tasks = (
        Task((0,), (wide_a,)),
        Task((0,), (wide_b,)),
        Task((wide_a,), (thin_a,)),
        Task((wide_b,), (thin_b,)),
        Task((thin_a, thin_b), (5,)),
    )
    work = Work(tasks, {0: 1, 1: 50, 2: 50, 3: 1, 4: 1, 5: 2}, (0,), frozenset({5}))
    assert peak_of(work, range(5)) == 101
    assert least_peak(work).peak == 52


def test_long_chains_and_nothing_at_all() -> None:
    tasks = tuple(Task((n,), (n + 1,)) for n in range(500))
    work = Work(tasks, dict.fromkeys(range(501), 16), (0,), frozenset({500}))
    assert least_peak(work) == (tuple(range(500)), 32, True)
    assert least_peak(Work((), {0: 16}, (0,), frozenset({0}))) == ((), 16, True)


def fan(sizes: list[int]) -> Work:
    """Tasks that read one tensor, whose outputs are all kept."""
    tasks = tuple(Task((0,), (n,)) for n in range(1, len(sizes) + 1))
    kept = range(1, len(sizes) + 1)
    return Work(tasks, {0: 64} | dict(enumerate(sizes, 1)), (0,), frozenset(kept))


def tree(leaves: int) -> Work:
    """Leaves of one tensor, all before all sums of two."""
    tasks = [Task((0,), (n,)) for n in range(1, leaves + 1)]
    level = list(range(1, leaves + 1))
    while len(level) > 1:
        sums = range(len(tasks) + 1, len(tasks) + 1 + len(level) // 2)
        tasks += [Task(tuple(level[2 * i : 2 * i + 2]), (s,)) for i, s in enumerate(sums)]
        level = list(sums)
    sizes = dict.fromkeys(range(len(tasks) + 1), 16)
    return Work(tuple(tasks), sizes, (0,), frozenset(level))


def spent(work: Work, effort: Effort) -> int:
    before = effort.steps
    least_peak(work, effort=effort)
    return before - effort.steps


def test_interchangeable_tasks_are_one_class() -> None:
    count = 300
    assert spent(fan([16] * count), Effort()) <= 3 * count
    assert least_peak(fan([16] * count)).is_proved


def test_what_a_task_alone_needs_is_a_proof_without_a_search() -> None:
    tasks = (*(Task((0,), (n,)) for n in range(1, 201)), Task(tuple(range(1, 201)), (201,)))
    work = Work(tasks, {n: n + 1 for n in range(202)}, (0,), frozenset({201}))
    effort = Effort()
    assert least_peak(work, effort=effort).is_proved
    assert effort == Effort()


@pytest.mark.parametrize("steps", [0, 100, 3000])
def test_a_search_ends_with_its_steps(steps: int) -> None:
    work = tree(128)
    effort = Effort(steps)
    found = least_peak(work, effort=effort)
    assert not found.is_proved
    assert is_legal(work, found.order)
    # One task is looked at for each place, however few steps there are.
    assert effort.steps > -3 * len(work.tasks)
    assert found == least_peak(work, effort=Effort(steps))


def test_a_search_ends_with_its_memory() -> None:
    few, own = Effort(bytes=100_000), Schedule((), 10**9, False)
    found = _schedule._exact(Graph(tree(128)), 10**6, own, few)
    assert found is None
    assert few.steps > Effort().steps - 10_000


def test_of_a_wide_tree_branches_come_one_after_the_other() -> None:
    work = tree(256)
    assert peak_of(work, range(len(work.tasks))) == 257 * 16
    assert least_peak(work).peak <= 20 * 16


def test_what_is_pinned_comes_one_behind_the_other() -> None:
    assert pinned_behind([7, 2, 4]) == {4: (2,), 7: (4,)}
