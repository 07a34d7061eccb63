"""Operators run in the order that needs least memory; outputs stay, and so do effects."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arenite as ar
from arenite.model import Model, ModelBuilder
from arenite.model.check import check
from arenite.model.consistency import check_order
from arenite.ops.tflite.slice import SliceOptions
from arenite.ops.traits import NO_TRAITS
from arenite.optimize import _schedule
from arenite.optimize._schedule import Graph, Work, _State, least_peak
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from arenite.target import find_target
from tests.ops.subgraphs import models
from tests.optimize.comparing import assert_same
from tests.optimize.layers import Layers
from tests.optimize.networks import network
from tests.optimize.orders import is_legal, random_work, shuffled, told
from tests.runtime.subgraphs import assign, handle, read

module = importlib.import_module("arenite.optimize.passes.order")
order = module.order
SETTINGS = Settings()


def level_by_level(taps: int = 1) -> Model:
    """Branches of a wide tensor and a thin one: first all wide ones, then all thin ones."""
    net = Layers(1)
    x = net.input(1, 8, 8, 4)
    wide = [net.conv(x, 32, (taps, taps)) for _ in range(3)]
    thin = [net.conv(value, 4, (1, 1)) for value in wide]
    net.output(net.concat(thin))
    return net.build()


def arena(model: Model, target: str | None = None) -> int:
    return ar.smallest_arena(model, target=target)


def test_branches_run_one_after_the_other() -> None:
    model = level_by_level()
    done = order(model, SETTINGS)
    assert arena(done.model) < arena(model)
    (note,) = done.changes
    assert note.where == "$.subgraphs[0]"
    # The input and three wide tensors; the input, two thin ones and a wide one.
    image, wide = 8 * 8 * 4, 8 * 8 * 32
    peaks = f"{image + 3 * wide} to {3 * image + wide} bytes alive at once, no order has less"
    assert note.text.endswith(peaks)
    assert_same(model, done.model)


@pytest.mark.parametrize("target", [None, "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("seed", range(10))
def test_random_networks_compute_the_same_in_no_larger_an_arena(
    seed: int, target: str | None
) -> None:
    model = shuffled(network(seed, ("inception", "forks", "residual")[seed % 3], "int8"), seed)
    done = order(model, Settings(target=find_target(target)))
    check(done.model)
    check_order(done.model)
    assert arena(done.model, target) <= arena(model, target)
    assert (done.model is model) == (not done.changes)
    assert_same(model, done.model)


def test_a_chain_stays_as_it_is() -> None:
    model = network(3, "dense", "int8")
    assert order(model, SETTINGS).model is model


def test_a_model_with_a_plan_stays_as_it_is() -> None:
    model = level_by_level()
    values = np.array([1, 1, len(model.main.tensors), *[-1] * len(model.main.tensors)], "<i4")
    planned = replace(model, metadata={"OfflineMemoryAllocation": values.tobytes()})
    done = order(planned, SETTINGS)
    assert done.model is planned
    assert "a plan for the order that there is" in done.declined[0].text


def test_an_order_without_a_smaller_arena_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_bytes_by_plan", lambda model, settings: {"TFLM's plan": 1000})
    model = level_by_level()
    done = order(model, SETTINGS)
    assert done.model is model
    assert "by TFLM's plan 1000 instead of 1000" in done.declined[0].text


def test_an_order_in_which_outputs_lie_on_fewer_inputs_is_declined() -> None:
    model = network(3133, "inception")
    target = find_target("cortex-m4")
    assert order(model, Settings(target=target)).changes
    done = order(model, Settings(target=target, overlap="target"))
    assert done.model is model
    assert "by one with outputs over inputs 2320 instead of 2272" in done.declined[0].text


# -- effects


def remembering() -> Model:
    """What a variable was, cut short, before the input is put into it.

    With the input gone before the variable is read, less would be alive at once.
    """
    b = ModelBuilder()
    x = b.input("x", (256,), "int32")
    variable = handle(b)
    before = read(b, variable, (256,))
    assign(b, variable, x)
    cut = b.tensor("cut", (4,), "int32")
    begin, size = (b.constant(f"{n}", np.array([n], np.int32)) for n in (3, 4))
    b.operator("SLICE", [before, begin, size], [cut], SliceOptions())
    b.output(cut)
    return b.build()


def test_reading_a_variable_stays_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_wins", lambda before, after: True)
    model = remembering()
    done = order(model, SETTINGS)
    names = [operator.name for operator in done.model.main.operators]
    assert names.index("READ_VARIABLE") < names.index("ASSIGN_VARIABLE")
    assert_same(model, done.model)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(model=models("variable"), seed=st.integers(0, 99))
def test_models_with_variables_and_subgraphs_compute_the_same(model: Model, seed: int) -> None:
    done = order(model, SETTINGS)
    check_order(done.model)
    if done.changes:
        verify(model, done.model, SETTINGS, 2)


def test_custom_operators_keep_their_order() -> None:
    b = ModelBuilder()
    x = b.input("x", (64,), "int8")
    for n in range(4):
        out = b.tensor(f"y{n}", (64 + n,), "int8")
        b.operator("MY_OWN", [x], [out], custom_options=b"")
        b.output(out)
    model = b.build()
    assert all(module._is_pinned(operator, model.main) for operator in model.main.operators)
    assert order(model, SETTINGS).model is model


def test_scratch_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Work] = []
    monkeypatch.setattr(
        module, "least_peak", lambda work, **_: seen.append(work) or least_peak(work)
    )
    order(level_by_level(taps=3), Settings(target=find_target("cortex-m4")))
    assert max(task.extra for task in seen[0].tasks) > 0


# -- deliberate errors


def problems() -> None:
    """What has to fail where the pass is wrong."""
    for seed in range(25):
        work = random_work(seed, 6)
        found = least_peak(work)
        orders = [o for o in permutations(range(6)) if is_legal(work, o)]
        assert is_legal(work, found.order)
        assert found.peak == told(work, found.order) == min(told(work, o) for o in orders)
    kinds = {0: "inception", 2: "residual", 3: "forks", 7: "forks", 9: "forks"}
    networks = [shuffled(network(n, kind, "int8"), n) for n, kind in kinds.items()]
    for model in (level_by_level(), remembering(), *networks):
        done = order(model, SETTINGS)
        check(done.model)
        check_order(done.model)
        assert len(done.model.main.operators) == len(model.main.operators)
        assert_same(model, done.model)


Patch = Callable[[pytest.MonkeyPatch], None]


def patched(where: object, name: str, wrong: Callable[..., object]) -> Patch:
    """An error in place of a function, which the error gets as its first argument."""
    right = getattr(where, name)

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(where, name, lambda *args: wrong(right, *args))

    return patch


def without_reads(right: Callable[..., Work], *args: object) -> Work:
    work = right(*args)
    return work._replace(tasks=tuple(task._replace(reads=()) for task in work.tasks))


def first_reads(right: Callable[..., Work], *args: object) -> Work:
    work = right(*args)
    return work._replace(tasks=tuple(t._replace(reads=t.reads[:1]) for t in work.tasks))


def free_at_once(right: Callable[..., _State], graph: Graph, state: _State, number: int) -> _State:
    """As if the first reader were the last."""
    after = right(graph, state, number)
    return after._replace(live=after.live - (len(graph.work.tasks[number].reads) > 0))


def forget_extra(right: Callable[..., _State], graph: Graph, state: _State, number: int) -> _State:
    after = right(graph, state, number)
    task = graph.work.tasks[number]
    live = state.live + sum(graph.work.sizes[t] for t in task.writes)
    return after._replace(peak=max(state.peak, live))


def inputs_first(right: Callable[..., _State], graph: Graph, state: _State, number: int) -> _State:
    """As if inputs were gone before outputs are written."""
    after = right(graph, state, number)
    return after._replace(peak=max(state.peak, after.live))


def at_once(
    right: Callable[..., list[tuple[_State, int]]], graph: Graph, state: _State, *given: object
) -> list[tuple[_State, int]]:
    """As if it did not matter that more is alive behind a task."""
    found = right(graph, state, *given)
    return [one for one in found if one[0].peak == state.peak][:1] or found


ERRORS: dict[str, Patch] = {
    "reads do not matter": patched(module, "_work", without_reads),
    "only the first read matters": patched(module, "_work", first_reads),
    "effects may change their order": patched(module, "pinned_behind", lambda right, pinned: {}),
    "variables have no effects": lambda m: m.setattr(module, "traits_of", lambda name: NO_TRAITS),
    "effects in reverse": patched(
        module,
        "pinned_behind",
        lambda right, pinned: {b: (a,) for a, (b,) in right(pinned).items()},
    ),
    "the order is its inverse": patched(
        module,
        "_reordered",
        lambda right, model, number, found: right(
            model, number, found._replace(order=tuple(np.argsort(found.order).tolist()))
        ),
    ),
    "the last operator is lost": patched(
        module,
        "_reordered",
        lambda right, model, number, found: right(
            model, number, found._replace(order=found.order[:-1])
        ),
    ),
    "an operator runs twice": patched(
        module,
        "_reordered",
        lambda right, model, number, found: right(
            model, number, found._replace(order=(*found.order[:-1], found.order[0]))
        ),
    ),
    "the last two change places": patched(
        _schedule,
        "_way_back",
        lambda right, last, done: (*right(last, done)[:-2], *right(last, done)[-2:][::-1]),
    ),
    "anything is ready": patched(
        Graph,
        "ready",
        lambda right, graph, state: [n for n in range(graph.count) if not state.done >> n & 1],
    ),
    "every task is interchangeable with every other": patched(
        Graph, "_kind", lambda right, graph, number, given: ()
    ),
    "memory is given back too early": patched(Graph, "step", free_at_once),
    "scratch memory is forgotten": patched(Graph, "step", forget_extra),
    "inputs make room for outputs": patched(Graph, "step", inputs_first),
    "what is ready comes at once": patched(
        Graph, "following", lambda right, graph, state, *given: right(graph, state, *given)[:1]
    ),
    "what does not raise the peak comes at once": patched(Graph, "following", at_once),
}


@pytest.mark.parametrize("error", ERRORS)
def test_a_deliberate_error_is_found(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_wins", lambda before, after: True)
    ERRORS[error](monkeypatch)
    with pytest.raises((AssertionError, ar.AreniteError, IndexError)):
        problems()


def test_without_an_error_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_wins", lambda before, after: True)
    problems()
