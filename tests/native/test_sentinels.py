"""Kernels write to their outputs, plans and workspace alone, and read nothing beside them.

Every buffer lies between guard bytes. A kernel that writes to them is caught at once; one that
reads them, or a workspace that nobody cleared, computes something else when their value changes.
So does one whose parts, shared by two threads, are not what it computes alone.
"""

from typing import Any

import pytest

from arenite.errors import AreniteError
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from tests.native.sizes import CASES, build
from tests.native.strategies import OPERATORS, judge, steps_of
from tests.steps import RESET

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from tests.native.fences import fenced_twice


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", OPERATORS)
def test_nothing_outside_the_buffers_counts(
    name: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(oracle: object, model: Model, seed: int, **arguments: Any) -> None:
        first = next(step for step in steps_of(model, seed, **arguments) if step != RESET)
        try:
            HeapInterpreter(model).allocate_tensors()
        except AreniteError:
            return
        one, other = fenced_twice(model, isa, list(first), monkeypatch)
        assert one == other

    judge(name, check)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("case", CASES)
def test_nothing_outside_the_buffers_counts_in_large_models(
    case: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build(case)
    (inputs,) = steps_of(model, 1)
    one, other = fenced_twice(model, isa, list(inputs), monkeypatch)
    assert one is not None
    assert one == other
