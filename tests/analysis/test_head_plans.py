"""Plans of one head side by side, and what passes would win."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.arena_use import Firmware, needed_by
from arenite.analysis.head_plans import head_plans, pass_wins, plan_facts
from arenite.target import HOST, find_target
from tests.shared import DIGITS, shared_model


def test_of_a_chain_all_plans_are_the_same() -> None:
    plans = head_plans(ar.load(DIGITS), HOST)
    assert plans.own is None
    assert plans.greedy == plans.optimal == plans.lower_bound
    assert plans.is_proved
    assert plans.arena == plans.optimal_arena == ar.smallest_arena(DIGITS)


def test_a_better_plan_makes_the_arena_smaller() -> None:
    model = ar.load(shared_model("vww_int8"))
    plans = head_plans(model, find_target("cortex-m4"))
    assert (plans.greedy, plans.optimal, plans.lower_bound) == (73_728, 55_296, 55_296)
    assert (plans.arena, plans.optimal_arena) == (100_720, 82_288)


def with_plan(model: ar.Model, offsets: dict[int, int]) -> ar.Model:
    values = [offsets.get(n, -1) for n in range(len(model.main.tensors))]
    data = np.array([1, 1, len(values), *values], "<i4").tobytes()
    return replace(model, metadata={**model.metadata, "OfflineMemoryAllocation": data})


def test_the_plan_of_a_file_stands_beside_the_others() -> None:
    model = ar.load(DIGITS)
    planned = with_plan(model, {model.main.inputs[0]: 4096})
    plans, bare = head_plans(planned, HOST), head_plans(model, HOST)
    assert plans.own is not None
    assert plans.own >= 4096
    assert (plans.greedy, plans.optimal) == (bare.greedy, bare.optimal)
    assert (
        plans.optimal_arena
        == plans.arena
        == needed_by(planned, Firmware("greedy", HOST)).smallest_arena
    )


def test_progress_is_told_only_where_there_is_a_search() -> None:
    told: list[int] = []
    head_plans(ar.load(DIGITS), HOST, lambda height, bound, nodes: told.append(height))
    assert told == []


def test_wins_have_a_row_for_every_pass() -> None:
    model = ar.load(DIGITS)
    wins = pass_wins(model, HOST)
    assert [win.name for win in wins][:2] == ["fold", "clean"]
    assert all(win.arena <= ar.smallest_arena(model) for win in wins)
    assert all((win.first_change == "nothing to do") == (not win.changes) for win in wins)


@pytest.mark.parametrize("has_wins", [False, True])
def test_the_facts_are_plain(has_wins: bool) -> None:
    model = ar.load(DIGITS)
    facts = plan_facts(head_plans(model, HOST), pass_wins(model, HOST) if has_wins else None)
    assert list(facts) == (["plans", "passes"] if has_wins else ["plans"])
    assert set(facts["plans"]) == {
        "own",
        "made_for",
        "greedy",
        "optimal",
        "lower_bound",
        "is_proved",
        "arena",
        "optimal_arena",
    }
