"""What notebooks show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import arenite as ar
from arenite.analysis.engines.sides import Side
from arenite.analysis.model_cost import model_cost
from arenite.memory.arena import SingleArenaBufferAllocator
from arenite.report.page.notebook import html
from tests.cli.models import classifier
from tests.report.page.pages import Parsed, chain
from tests.shared import DIGITS, shared_model

HOSTILE = "</title><img src=x onerror=alert(1)>&\"'\x1b"


def things(model: ar.Model) -> dict[str, Any]:
    """One of every class that a notebook can show."""
    interpreter = ar.Interpreter(model)
    return {
        "model": model,
        "plan": interpreter.plan,
        "arena": interpreter.arena,
        "allocations": interpreter.allocations(),
        "comparison": ar.compare(Side("here", model), Side("there", model, "cortex-m55")),
        "fit": ar.fit(model, ram="96k"),
        "cost": model_cost(model, "cortex-m4", 100.0),
        "optimised": ar.optimize(model, verify=0)[1],
    }


@pytest.mark.parametrize("name", things(classifier()))
def test_it_is_small_whole_and_follows_the_notebook_s_colours(name: str) -> None:
    made = things(ar.load(DIGITS))[name]._repr_html_()
    Parsed(made)  # every element is closed
    assert len(made) < 12_000
    assert "<script" not in made
    assert "color" not in made.replace("colour", "")


@pytest.mark.parametrize("name", things(classifier()))
def test_names_of_a_file_are_text(name: str) -> None:
    model = classifier()
    tensors = tuple(replace(t, name=f"{t.name}{HOSTILE}") for t in model.main.tensors)
    named = replace(model, subgraphs=(replace(model.main, tensors=tensors),), source=HOSTILE)
    made = things(named)[name]._repr_html_()
    assert Parsed(made).named("img") == []
    assert "\x1b" not in made


def test_a_model_is_a_table_of_its_operators() -> None:
    text = Parsed(ar.load(DIGITS)._repr_html_()).text
    assert "2,882 parameters, 49,280 MACs" in text
    assert "int8[1,8,8,12]" in text


def test_of_a_large_model_the_first_operators_are_shown() -> None:
    made = chain(500)._repr_html_()
    assert Parsed(made).text.endswith("460 more rows")
    assert len(made) < 10_000


def test_a_plan_is_a_picture_with_its_own_bytes() -> None:
    plan = ar.Interpreter(DIGITS).plan
    made = plan._repr_html_()
    for buffer in plan.buffers:
        assert f"{buffer.size:,} bytes at {buffer.offset:,}" in made


def test_an_arena_shows_what_is_in_use_and_free() -> None:
    arena = ar.Interpreter(DIGITS).arena
    text = Parsed(arena._repr_html_()).text
    for count in (arena.head_used, arena.tail_used, arena.size):
        assert f"{count:,}" in text
    assert "Arena without end" in SingleArenaBufferAllocator(None)._repr_html_()


def test_a_comparison_has_the_layers_that_differ_alone() -> None:
    found = ar.compare(str(shared_model("ic_int8")), "@litert")
    rows = len(Parsed(found._repr_html_()).named("tr")) - 1
    assert rows == min(sum(bool(one.different) for one in found.layers), 40)


def test_what_nobody_draws_is_an_error() -> None:
    with pytest.raises(TypeError, match="got dict"):
        html({})


def test_the_plain_repr_stays() -> None:
    assert repr(ar.Interpreter(DIGITS).plan).startswith("plan: ")
