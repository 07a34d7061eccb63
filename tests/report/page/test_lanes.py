"""Where lines run beside the operators of a graph."""

from __future__ import annotations

from itertools import pairwise

from arenite.model import ModelBuilder, Subgraph
from arenite.report.page.lanes import INPUTS, OUTPUTS, rows_of
from tests.report.page.pages import chain


def residual() -> Subgraph:
    """x -> RELU -> a; x + a -> y."""
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    a, y = b.tensor("a", (4,), "float32"), b.tensor("y", (4,), "float32")
    b.operator("RELU", [x], [a])
    b.operator("ADD", [x, a], [y])
    b.output(y)
    return b.build().main


def test_a_chain_is_one_line() -> None:
    rows = list(rows_of(chain(3).main))
    assert [row.operator for row in rows] == [INPUTS, 0, 1, 2, OUTPUTS]
    assert {row.lane for row in rows} == {0}
    assert [row.passing for row in rows] == [()] * 5


def test_a_tensor_that_is_read_again_keeps_its_lane() -> None:
    _, relu, add, _ = rows_of(residual())
    assert (relu.above, relu.below) == (((0, 0),), ((0, 0), (1, 1)))
    assert (add.above, add.below) == (((0, 0), (1, 1)), ((0, 2),))


def test_what_ends_above_begins_below_in_the_row_before() -> None:
    rows = list(rows_of(residual()))
    for one, after in pairwise(rows):
        assert {*one.passing, *one.below} == {*after.above, *after.passing}


def test_constants_and_absent_inputs_have_no_lines() -> None:
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    y = b.tensor("y", (4,), "float32")
    b.operator("ADD", [x, -1], [y])
    b.output(y)
    assert [row.above for row in rows_of(b.build().main)] == [(), ((0, 0),), ((0, 1),)]


def test_what_nobody_reads_has_no_line() -> None:
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    unread, y = b.tensor("unread", (4,), "float32"), b.tensor("y", (4,), "float32")
    b.operator("RELU", [x], [unread])
    b.operator("RELU", [x], [y])
    b.output(y)
    lines = {line for row in rows_of(b.build().main) for line in (*row.passing, *row.below)}
    assert {tensor for _, tensor in lines} == {x, y}
