"""Kernels next to the operator: what differs is found, and made small."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.analysis.kernel_check import check_kernel
from arenite.errors import CompareError
from arenite.formats import tflite
from arenite.ops import builtin, builtin_names
from arenite.ops.cases import Draw, smaller
from arenite.ops.registry import cases_of

OPERATORS = [name for name in builtin_names() if cases_of(name) is not None]


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_is_itself_and_most_of_its_models_run(operator):
    check = check_kernel(builtin(operator), operator, cases=12)
    assert check.equal
    assert check.cases >= 9


def test_a_value_that_differs_is_found_in_the_smallest_model_that_shows_it():
    own = builtin("ADD")

    def invoke(context, node):
        own.invoke(context, node)
        data = context.get_eval_tensor(node.outputs[0]).data
        if data.size >= 3:
            data.reshape(-1)[2] ^= 1

    check = check_kernel(replace(own, invoke=invoke), "ADD", cases=50)
    assert not check.equal
    assert check.difference.what.startswith("output 0, 1 of 3 values: at ")
    assert tflite.read(check.difference.content).outputs[0].size == 3


def test_a_byte_more_in_the_arena_is_a_difference():
    own = builtin("RELU")

    def prepare(context, node):
        context.allocate_persistent_buffer(1, "more")
        return own.prepare(context, node)

    check = check_kernel(replace(own, prepare=prepare), "RELU", cases=3)
    assert check.difference.what.startswith("the arena's tail: expected ")


def test_a_kernel_that_refuses_is_a_difference_with_its_words():
    own = builtin("RELU")

    def invoke(context, node):
        context.report_error("no")

    check = check_kernel(replace(own, invoke=invoke), "RELU", cases=3)
    assert re.fullmatch(r"it fails: RELU 0 \('.*'\): no", check.difference.what)


def test_an_operator_without_random_models_is_refused():
    with pytest.raises(CompareError, match="'WHILE'"):
        check_kernel(builtin("WHILE"), "WHILE")


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(1, 60))
def test_no_integer_of_the_smallest_can_be_lowered(drawn, least):
    def fails(told):
        return sum(told) >= least

    found = smaller(drawn, fails) if fails(drawn) else None
    if found is not None:
        assert sum(found) == least


def test_integers_that_are_told_are_taken_as_far_as_they_are_allowed():
    draw = Draw(0, [3, 99])
    assert [draw.integer(0, 5), draw.integer(0, 5)] == [3, 5]
    assert draw.drawn == [3, 5]
    np.testing.assert_array_equal(Draw(1).array((4,), "int8"), Draw(1, [7]).array((4,), "int8"))
