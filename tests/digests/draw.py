"""Models of every operator, drawn by the operators' own tests, where TFLM's package judges them."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from arenite.formats import tflite
from arenite.model import Model
from tests.digests.cases import Case
from tests.native.strategies import OPERATORS, judge, steps_of
from tests.ops.differential import agrees
from tests.oracle import Oracle

#: Models per operator, and bytes of one with its inputs.
COUNT, LARGEST = 4, 3000


def draw(operator: str, oracle: Oracle) -> list[Case]:
    """Some models of an operator's own test, with which TFLM's package agrees."""
    found: dict[str, list[Case]] = {}

    def collect(_: object, model: Model, seed: int, **options: Any) -> None:
        if agrees(oracle, model, seed, **options).status != "ok":
            return
        steps = tuple(steps_of(model, seed, **options))
        case = Case(operator, tflite.write(model), steps)
        if case.size <= LARGEST:
            types = "-".join(str(tensor.type) for tensor in model.main.tensors)
            found.setdefault(types, []).append(case)

    judge(operator, collect)
    # All types before more of the same; what is drawn first is simple.
    rounds = zip_longest(*(reversed(cases) for cases in found.values()))
    return [case for one in rounds for case in one if case is not None][:COUNT]


def draw_all() -> list[Case]:
    """Models of all operators."""
    oracle = Oracle()
    try:
        return [case for operator in OPERATORS for case in draw(operator, oracle)]
    finally:
        oracle.close()
