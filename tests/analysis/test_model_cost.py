"""What an inference costs, as facts."""

from __future__ import annotations

from arenite.analysis.model_cost import cost_facts, model_cost
from tests.cmsis_nn.small_models import MODELS


def facts(name: str):
    return cost_facts(model_cost(MODELS[name](), "m4", 100.0))


def test_a_model_without_any_estimate_has_no_total_and_says_why() -> None:
    found = facts("conv float32")
    totals = [found[key] for key in ("instructions", "cycles", "milliseconds", "complete")]
    assert totals == [None, None, None, False]
    assert found["reason"] == (
        "1 of 1 operators have no estimate, and are not in the total: CONV_2D of float32. Costs "
        "are those of int8 kernels."
    )


def test_a_total_of_all_operators_needs_no_reason() -> None:
    found = facts("conv int8")
    assert (found["complete"], found["reason"]) == (True, None)
    assert found["milliseconds"] == found["cycles"] / 1e5
