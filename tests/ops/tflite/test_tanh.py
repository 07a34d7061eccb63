"""TANH equals TFLM on random scales, zero points and types."""

import numpy as np

from tests.ops.differential import equals_tflm
from tests.ops.sigmoids import sigmoid, sigmoids
from tests.ops.unary import INT8, run

test_equals_tflm = equals_tflm(sigmoids("TANH"))


def test_int8_is_the_rounded_function():
    exact = np.minimum(128 * np.tanh(0.05 * (INT8.astype(float) - 3)), 127)
    assert np.abs(run(sigmoid("TANH", "int8", 0.05, 3), INT8) - exact).max() < 0.51


def test_int8_saturates_past_the_largest_fixed_point_number():
    got = run(sigmoid("TANH", "int8", 1000.0), INT8)
    np.testing.assert_array_equal(got[[0, 127, 128, 129, 255]], [-128, -128, -128, 127, 127])


def test_float():
    np.testing.assert_allclose(
        run(sigmoid("TANH", "float32", shape=(3,)), [-1, 0, 100]), [-0.7615942, 0, 1], rtol=1e-6
    )
