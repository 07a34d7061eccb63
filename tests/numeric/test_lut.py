"""Lookup tables give the function's values, and interpolate between them."""

import numpy as np
import pytest

from arenite.numeric import lut

INT16 = np.arange(-32768, 32768)
INT8 = np.arange(-128, 128, dtype=np.int8)


def test_an_int8_table_gives_the_functions_values():
    table = lut.table_int8(lambda x: -x // 2)
    out = np.empty_like(INT8)
    lut.take_int8(table, INT8, out)
    np.testing.assert_array_equal(out, -INT8.astype(int) // 2)


def test_an_int8_table_writes_over_its_own_input():
    x = INT8.copy()
    lut.take_int8(lut.table_int8(lambda x: ~x), x, x)
    np.testing.assert_array_equal(x, INT8[::-1])


def test_a_pair_table_knows_its_first_argument_from_its_second():
    table = lut.pair_table_int8(lambda a, b: np.where(a > b, a, 0))
    a, b = np.array([[5], [-128]], np.int8), np.array([-1, 127], np.int8)
    out = np.empty((2, 2), np.int8)
    lut.take_pairs_int8(table, a, b, out)
    np.testing.assert_array_equal(out, [[5, 0], [0, 0]])


def test_an_interpolated_table_follows_the_function():
    table = lut.populate_int16(8 / 32768, 0, 1 / 32768, np.tanh)
    got = lut.lookup_int16(table, INT16)
    exact = np.tanh(INT16 * 8 / 32768) * 32768
    assert table.shape == (513,)
    assert np.abs(got - exact).max() < 7


def test_an_interpolated_table_saturates():
    table = lut.populate_int16(1.0, 0, 1 / 32768, lambda x: np.sign(x) * np.float32(2))
    assert table.min() == -32768
    assert table.max() == 32767


def test_the_last_table_entry_is_used_for_its_slope_only():
    table = np.zeros(513, np.int16)
    table[512] = 128
    assert lut.lookup_int16(table, 32767) == 127
    assert lut.lookup_int16(table, 32767 - 127) == 0


def test_the_sigmoid_table_is_a_sigmoid_and_cannot_be_changed():
    table = lut.sigmoid_table()
    exact = 65536 / (1 + np.exp(-np.arange(256) / 24))
    assert np.abs(table - exact).max() < 1.25
    assert (table[0], table[28], table[255]) == (32768, 49975, 65535)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1


@pytest.mark.parametrize(("multiplier", "shift"), [(0, 0), (3 << 12, 12)])
def test_logistic_of_int16(multiplier, shift):
    got = lut.logistic_int16(INT16, multiplier, shift)
    exact = 32768 / (1 + np.exp(-INT16 / 4096))
    assert np.abs(got - exact).max() < 3
    assert np.diff(got).min() >= 0


@pytest.mark.parametrize(("multiplier", "shift", "scale"), [(0, 0, 4096), (0, 1, 2048)])
def test_tanh_of_int16(multiplier, shift, scale):
    got = lut.tanh_int16(INT16, multiplier, shift)
    assert np.abs(got - 32768 * np.tanh(INT16 / scale)).max() < 4
    np.testing.assert_array_equal(got[1:], -got[:0:-1])
