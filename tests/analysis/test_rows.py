"""Results as rows of plain values, for data frames, and as notebooks show them."""

import numpy as np
import pytest

import arenite as ar
from tests.shared import DIGITS


def results():
    model = ar.load(DIGITS)
    x = np.zeros((3, 8, 8, 1), np.int8)
    return {
        "allocations": ar.Interpreter(model).allocations(),
        "cost": ar.cost(model),
        "explain": ar.explain(model),
        "compare": ar.compare(model, "@cortex-m4", runs=1),
        "evaluate": ar.evaluate(model, (x, np.zeros(3, np.int64))),
        "fit": ar.fit(model, ram="8k"),
        "bench": ar.bench(model, repeat=1),
    }


@pytest.fixture(scope="module")
def all_results():
    return results()


@pytest.mark.parametrize(
    "name", ["allocations", "cost", "explain", "compare", "evaluate", "fit", "bench"]
)
def test_rows_have_the_same_keys_and_a_notebook_shows_a_table(all_results, name):
    rows = all_results[name].rows()
    assert rows
    assert all(row.keys() == rows[0].keys() for row in rows)
    # Of a comparison a notebook shows what differs: here nothing does.
    assert ("<table>" if name != "compare" else "equal") in all_results[name]._repr_html_()


def test_rows_of_a_cost_add_up_to_it(all_results):
    cost = all_results["cost"]
    assert sum(row["cycles"] for row in cost.rows()) == cost.cycles


def test_a_cost_without_a_clock_has_no_milliseconds(all_results):
    assert {row["milliseconds"] for row in all_results["cost"].rows()} == {None}
    assert ar.cost(DIGITS, clock=100).rows()[0]["milliseconds"] > 0


def test_costs_of_a_core_without_a_table_are_refused_by_name():
    with pytest.raises(ValueError, match="not for esp32s3"):
        ar.cost(DIGITS, "esp32s3")
