"""What an inference costs, as facts."""

import pytest

from arenite.analysis.model_cost import cost_facts, model_cost
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.if_ import IfOptions
from arenite.report.cost import render_cost
from tests.libraries.cmsis_nn.small_models import MODELS, reverse_of_int64


def facts(name: str):
    return cost_facts(model_cost(MODELS[name](), "m4", 100.0))


def test_a_model_without_any_estimate_has_no_total_and_says_why() -> None:
    found = cost_facts(model_cost(reverse_of_int64(), "m4", 100.0))
    totals = [found[key] for key in ("instructions", "cycles", "milliseconds", "complete")]
    assert totals == [None, None, None, False]
    assert found["reason"] == (
        "1 of 1 operators have no estimate, and are not in the total: REVERSE_V2 of int64. Costs "
        "are known of kernels that were measured."
    )


def test_a_total_of_all_operators_needs_no_reason() -> None:
    found = facts("conv int8")
    assert (found["complete"], found["reason"]) == (True, None)
    assert found["low"] < found["cycles"] / 1e5 < found["high"]
    assert found["milliseconds"] == pytest.approx((found["low"] + found["high"]) / 2)


def test_an_operator_says_how_far_estimates_of_its_kind_were_off() -> None:
    (operator,) = facts("conv float32")["operators"]
    assert operator["error"]["layers"] >= 8
    assert 0 <= operator["error"]["median"] <= operator["error"]["worst"] < 0.2


def test_a_total_is_no_surer_than_its_operators() -> None:
    usual = facts("conv int8")["accuracy"]["instructions"]
    other = facts("matmul float32")
    (operator,) = other["operators"]
    assert other["accuracy"]["instructions"] == max(usual, operator["error"]["worst"])


def branch() -> Model:
    """IF: the values as they are, or their negatives."""
    bodies = []
    for name in ("ABS", "NEG"):
        body = ModelBuilder(name)
        x, y = body.input("x", (4,), "float32"), body.tensor("y", (4,), "float32")
        body.operator(name, [x], [y])
        body.output(y)
        bodies.append(body.subgraph())
    b = ModelBuilder()
    condition, x = b.input("c", (1,), "bool"), b.input("x", (4,), "float32")
    y = b.tensor("y", (4,), "float32")
    b.operator("IF", [condition, x], [y], IfOptions(1, 2))
    b.output(y)
    return b.build(subgraphs=bodies)


def test_subgraphs_that_are_called_are_counted_once_and_left_out_of_the_total() -> None:
    found = cost_facts(model_cost(branch(), "m4", 100.0))
    assert found["complete"] is False
    assert "how often is known at run time" in found["reason"]
    assert [body["subgraph"] for body in found["subgraphs"]] == [1, 2]
    assert all(body["complete"] and body["instructions"] > 0 for body in found["subgraphs"])


def test_the_text_says_what_a_subgraph_takes() -> None:
    lines = [line.plain for line in render_cost(model_cost(branch(), "m4", 100.0), 200)]
    assert sum(line.startswith("One pass of subgraph") for line in lines) == 2
