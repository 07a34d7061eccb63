"""What an inference costs, as facts."""

from __future__ import annotations

from arenite.analysis.model_cost import cost_facts, model_cost
from tests.cmsis_nn.small_models import MODELS


def facts(name: str):
    return cost_facts(model_cost(MODELS[name](), "m4", 100.0))


def test_a_model_without_any_estimate_has_no_total_and_says_why() -> None:
    found = facts("svdf float32")
    totals = [found[key] for key in ("instructions", "cycles", "milliseconds", "complete")]
    assert totals == [None, None, None, False]
    assert found["reason"] == (
        "1 of 1 operators have no estimate, and are not in the total: SVDF of float32. Costs are "
        "known of kernels that were measured."
    )


def test_a_total_of_all_operators_needs_no_reason() -> None:
    found = facts("conv int8")
    assert (found["complete"], found["reason"]) == (True, None)
    assert found["milliseconds"] == found["cycles"] / 1e5


def test_an_operator_says_how_far_estimates_of_its_kind_were_off() -> None:
    (operator,) = facts("conv float32")["operators"]
    assert operator["error"]["layers"] >= 8
    assert 0 <= operator["error"]["median"] <= operator["error"]["worst"] < 0.2


def test_a_total_is_no_surer_than_its_operators() -> None:
    usual = facts("conv int8")["accuracy"]["instructions"]
    other = facts("matmul float32")
    (operator,) = other["operators"]
    assert other["accuracy"]["instructions"] == max(usual, operator["error"]["worst"])
