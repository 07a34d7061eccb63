"""Whether 32-bit integers may wrap, looked at from both sides of the limit."""

import numpy as np
import pytest

from arenite.ops.shared.add_sub import AddSubParams
from arenite.ops.shared.mul_div import MulDivParams
from arenite.ops.shared.reduction import ReductionParams
from arenite.optimize._intervals import Interval
from arenite.optimize._wrapping import may_wrap

HALF = 1 << 30


def between(low: int, high: int) -> Interval:
    return Interval(np.array([low, 0]), np.array([0, high]))


def add(**others: int) -> AddSubParams:
    given = {
        "left_shift": 20,
        "input1_multiplier": HALF,
        "input2_multiplier": HALF,
        "output_multiplier": HALF,
    }
    return AddSubParams(1, -128, 127, **(given | others))


@pytest.mark.parametrize(("largest", "wraps"), [(255, False), (2047, False), (2048, True)])
def test_inputs_of_a_sum_are_shifted_to_the_left(largest, wraps):
    operands = [between(0, largest), between(-1, 1)]
    assert may_wrap(add(), operands, 1) is wraps


def test_offsets_count():
    operands = [between(0, 1), between(-1, 1)]
    assert may_wrap(add(input2_offset=-5000), operands, 1)


def test_a_negative_multiplier_turns_a_sum_around():
    operands = [between(0, 1), between(-1, 1)]
    assert may_wrap(add(input1_multiplier=-HALF), operands, 1)


@pytest.mark.parametrize(("largest", "wraps"), [(1 << 15, False), (1 << 16, True)])
def test_products_have_31_bits(largest, wraps):
    params = MulDivParams(-128, 127, output_multiplier=HALF, output_shift=-3)
    assert may_wrap(params, [between(-largest, 0)] * 2, 1) is wraps


def test_a_product_is_shifted_to_the_left_before_it_is_scaled():
    params = MulDivParams(-128, 127, output_multiplier=HALF, output_shift=17)
    assert may_wrap(params, [between(-128, 0)] * 2, 1)


@pytest.mark.parametrize(("count", "wraps"), [(1000, False), (1 << 24, True)])
def test_a_mean_s_sum_has_31_bits(count, wraps):
    params = ReductionParams(2, 0, 0, HALF, 0, -128, 127, 0, 0, 0)
    assert may_wrap(params, [between(-128, 127)], count) is wraps


def test_what_only_moves_values_does_not_wrap():
    assert not may_wrap(None, [between(-128, 127)], 1)
