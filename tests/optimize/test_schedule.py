"""Orders of tasks: the least peak of all orders, proved, or the best of a beam."""

from __future__ import annotations

from itertools import permutations

import pytest

from arenite.optimize import _schedule
from arenite.optimize._schedule import Task, Work, least_peak, peak_of, pinned_behind
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


def test_what_is_pinned_comes_one_behind_the_other() -> None:
    assert pinned_behind([7, 2, 4]) == {4: (2,), 7: (4,)}
