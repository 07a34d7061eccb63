"""Models of many operators are prepared without garbage collection, unless a user's code runs."""

import gc
from dataclasses import replace
from typing import Any

import pytest

import arenite as ar
from arenite.ops.tflite.conv_2d import REGISTRATION
from arenite.runtime.graph import Graph
from tests.shared import DIGITS


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether garbage is collected, whenever a node is prepared."""
    found: list[bool] = []
    check: Any = Graph._check

    def spying(self: Graph, entry: Any) -> None:
        found.append(gc.isenabled())
        check(self, entry)

    monkeypatch.setattr(Graph, "_check", spying)
    return found


def test_many_operators(seen: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arenite.runtime.arena_session._MANY", 1)
    ar.Interpreter(DIGITS)
    assert set(seen) == {False}
    assert gc.isenabled()


def test_few_operators(seen: list[bool]) -> None:
    ar.Interpreter(DIGITS)
    assert set(seen) == {True}


def test_a_users_operator(seen: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arenite.runtime.arena_session._MANY", 1)
    resolver = ar.AllOpsResolver().add("CONV_2D", replace(REGISTRATION, strict=False))
    ar.Interpreter(DIGITS, resolver=resolver)
    assert set(seen) == {True}


def test_a_model_that_fails(seen: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arenite.runtime.arena_session._MANY", 1)
    with pytest.raises(ar.ArenaError):
        ar.Interpreter(DIGITS, arena=3000)
    assert False in seen
    assert gc.isenabled()
