"""Vector instructions on a few vectors by hand; requantisation as the scalar function does it."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.libraries.cmsis_nn.arithmetic import mve
from arenite.libraries.cmsis_nn.arithmetic.support import arm_nn_requantize

INT32 = st.integers(-(2**31), 2**31 - 1)


def test_a_vector_is_loaded_in_sixteens_and_ends_with_the_row():
    row, count = np.arange(20, dtype=np.int8), Counter[str]()
    sizes = [len(mve.vldrb(row, start, count)) for start in (0, 16, 32)]
    assert sizes == [16, 4, 0]
    assert count == {"VLDRB": 3}


def test_sums_run_over_all_lanes_and_wrap():
    x, count = np.full(16, -128, np.int8), Counter[str]()
    assert mve.vaddva(np.int32(5), x, count) == 5 - 16 * 128
    assert mve.vmladava(np.int32(2**31 - 1), x, x, count) == -(2**31) - 1 + 16 * 2**14
    assert count == {"VADDVA": 1, "VMLADAVA": 1}


def test_every_register_of_an_array_of_vectors_counts():
    x, count = np.ones((3, 2, 16), np.int8), Counter[str]()
    assert mve.vmladava(np.zeros((3, 2), np.int32), x, x, count).tolist() == [[16, 16]] * 3
    assert count == {"VMLADAVA": 6}


def test_vqrdmulh_rounds_halves_up_and_saturates():
    low, half = -(2**31), 1 << 30
    high = mve.vqrdmulh([1, -1, 3, low], [half, half, half, low], Counter())
    assert high.tolist() == [1, 0, 2, 2**31 - 1]


def test_a_right_shift_rounds_halves_away_from_zero():
    values = np.array([2, -2, 6, -6], np.int32)
    assert mve.arm_divide_by_power_of_two_mve(values, 2).tolist() == [1, -1, 2, -2]
    assert mve.arm_divide_by_power_of_two_mve(values, 0).tolist() == values.tolist()
    assert mve.vrshl(values, 2).tolist() == [1, 0, 2, -1]


@given(
    st.lists(INT32, min_size=4, max_size=4),
    st.lists(st.integers(1 << 30, 2**31 - 1), min_size=4, max_size=4),
    st.lists(st.integers(-31, 10), min_size=4, max_size=4),
)
def test_four_lanes_are_requantised_as_one_value_is(values, multipliers, shifts):
    sums, count = np.array(values, np.int32), Counter[str]()
    scaled = mve.arm_requantize_mve(sums, multipliers, shifts, count)
    one_by_one = [
        int(arm_nn_requantize(v, m, s, Counter()))
        for v, m, s in zip(values, multipliers, shifts, strict=True)
    ]
    assert scaled.tolist() == one_by_one
    assert count == {"VQRDMULH": 1}
