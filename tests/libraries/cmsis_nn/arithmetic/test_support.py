"""CMSIS-NN's small functions: the order of values, and requantisation by hand."""

from collections import Counter

import numpy as np
import pytest

from arenite.libraries.cmsis_nn.arithmetic import support
from arenite.libraries.cmsis_nn.arithmetic.dsp import bottom, top
from arenite.numeric import fixedpoint


def widened(values: list[int], offset: int) -> tuple[list[int], Counter[str]]:
    src, count = np.array(values, np.int8), Counter[str]()
    dst = np.zeros(len(values), np.int16)
    support.arm_s8_to_s16_unordered_with_offset(src, dst, offset, count)
    return dst.tolist(), count


# -- order -------------------------------------------------------------------------------


def test_reads_take_the_first_value_into_the_lowest_bits() -> None:
    assert hex(support.arm_nn_read_s8x4(np.array([9, 1, 2, 3, 4], np.int8), 1)) == "0x4030201"
    assert hex(support.arm_nn_read_q15x2(np.array([1, 2], np.int16))) == "0x20001"


def test_read_and_pad_reordered_gives_values_0_and_2_then_1_and_3() -> None:
    count = Counter[str]()
    out1, out2 = support.read_and_pad_reordered(np.array([1, -2, 3, -4], np.int8), 0, count)
    assert [(int(bottom(out)), int(top(out))) for out in (out1, out2)] == [(1, 3), (-2, -4)]
    assert count == {"SXTB16": 2, "ROR": 1}


def test_widening_puts_channels_in_the_order_0_2_1_3() -> None:
    assert widened([10, 11, 12, 13], 0)[0] == [10, 12, 11, 13]


def test_widening_adds_the_offset_in_16_bits() -> None:
    assert widened([127, -128, 0, 1], 128)[0] == [255, 128, 0, 129]


def test_widening_keeps_the_order_of_what_is_left_over() -> None:
    values, count = widened([0, 1, 2, 3, 4, 5, 6], 100)
    assert values == [100, 102, 101, 103, 104, 105, 106]
    assert count == {"PKHBT": 1, "SXTAB16": 2, "ROR": 1}


def test_widening_may_overwrite_its_source() -> None:
    """As the second row of a pair does: int8 in the second half of the memory of its int16."""
    memory = np.zeros(16, np.uint8)
    memory[8:].view(np.int8)[...] = range(8)
    src, dst = memory[8:].view(np.int8), memory.view(np.int16)
    support.arm_s8_to_s16_unordered_with_offset(src, dst, 0, Counter())
    assert dst.tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_widening_without_dsp_instructions_keeps_the_order() -> None:
    dst = np.zeros(4, np.int16)
    support.arm_q7_to_q15_with_offset(np.array([1, 2, 3, -128], np.int8), dst, -1)
    assert dst.tolist() == [0, 1, 2, -129]


# -- requantisation ----------------------------------------------------------------------

HALF = 1 << 30


@pytest.mark.parametrize(
    ("value", "shift", "result"),
    [
        (100, 0, 50),  # * 0.5
        (100, 3, 400),  # the left shift comes first
        (101, 0, 51),  # 50.5 rounds up
        (-101, 0, -50),  # -50.5 rounds up, too
        (100, -2, 13),  # 50 / 4 = 12.5 away from zero
        (-100, -2, -13),  # -12.5 away from zero
    ],
)
def test_requantisation_by_a_half(value: int, shift: int, result: int) -> None:
    assert support.arm_nn_requantize(value, HALF, shift, Counter()) == result


def test_requantisation_rounds_twice() -> None:
    """7 * 0.5 = 3.5 becomes 4, 4 / 8 = 0.5 becomes 1; 3.5 / 8 would be 0."""
    assert support.arm_nn_requantize(7, HALF, -3, Counter()) == 1


def test_every_requantised_value_takes_one_smlal() -> None:
    count = Counter[str]()
    support.arm_nn_requantize(np.arange(6).reshape(2, 3), HALF, 0, count)
    assert count == {"SMLAL": 6}


def test_requantisation_is_that_of_fixedpoint() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(-(2**31), 2**31, 10_000)
    multipliers = rng.integers(2**30, 2**31, 10_000)
    shifts = rng.integers(-31, 9, 10_000)
    ours = support.arm_nn_requantize(values, multipliers, shifts, Counter())
    np.testing.assert_array_equal(ours, fixedpoint.requantize(values, multipliers, shifts))
