"""Classes in another order than the outputs have them."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import arenite as ar
from arenite.analysis.evaluation.order import assignment, better_order
from tests.analysis.evaluated import given, scores

NAMES = ("ant", "bee", "cat")


@drawn(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n
        )
    )
)
def test_an_assignment_gains_as_much_as_any_order(gains):
    gains = np.array(gains)
    rows = np.arange(len(gains))
    found = assignment(gains)
    assert sorted(found) == rows.tolist()
    best = max(gains[rows, list(order)].sum() for order in permutations(rows.tolist()))
    assert gains[rows, found].sum() == best


def said(order, times=4):
    """Data of which each class comes out at its place in ``order``."""
    rows = np.repeat(np.eye(3)[[order.index(name) for name in NAMES]], times, axis=0)
    return given(*rows), np.repeat(NAMES, times)


def test_the_order_that_fits_much_better_is_named():
    found = ar.evaluate(scores(3), said(("cat", "ant", "bee")))
    assert found.accuracy == 0
    assert found.better_order == ("cat", "ant", "bee")
    assert found.better_accuracy == 1


def test_that_order_given_as_labels_is_right():
    data = said(("cat", "ant", "bee"))
    order = ar.evaluate(scores(3), data).better_order
    found = ar.evaluate(scores(3), data, scoring=ar.Scoring(labels=order))
    assert (found.accuracy, found.better_order) == (1, ())


def test_labels_in_the_wrong_order_are_pointed_out_as_well():
    found = ar.evaluate(scores(3), said(NAMES), scoring=ar.Scoring(labels=("bee", "ant", "cat")))
    assert found.better_order == NAMES


def test_one_score_may_be_of_the_other_class():
    x = given(*[[0.9]] * 4, *[[0.1]] * 4)
    found = ar.evaluate(scores(1), (x, np.array(["a"] * 4 + ["b"] * 4)))
    assert found.better_order == ("b", "a")


@pytest.mark.parametrize(
    "counts",
    [
        [[8, 1, 1], [1, 8, 1], [1, 1, 8]],  # right as it is
        [[0, 1, 0], [1, 0, 0], [0, 0, 1]],  # too few samples
        [[3, 4, 3], [4, 3, 3], [3, 3, 4]],  # no order fits much better
    ],
)
def test_other_orders_are_passed_over(counts):
    counts = np.array(counts)
    assert better_order(counts, NAMES, int(counts.sum())) == ()


def test_labels_without_names_have_no_order():
    x, _ = said(("cat", "ant", "bee"))
    assert ar.evaluate(scores(3), (x, np.repeat([0, 1, 2], 4))).better_order == ()
