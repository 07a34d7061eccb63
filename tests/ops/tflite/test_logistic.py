"""LOGISTIC equals TFLM on random scales, zero points and types."""

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import agrees, equals_tflm
from tests.ops.sigmoids import sigmoid, sigmoids
from tests.ops.unary import INT8, run, unary_model

test_equals_tflm = equals_tflm(sigmoids("LOGISTIC"))


def test_int8_is_the_rounded_function():
    exact = 256 / (1 + np.exp(-0.05 * (INT8.astype(float) - 3))) - 128
    assert np.abs(run(sigmoid("LOGISTIC", "int8", 0.05, 3), INT8) - exact).max() < 0.51


def test_float_does_not_overflow():
    got = run(sigmoid("LOGISTIC", "float32", shape=(5,)), [-1e30, -20, 0, 20, 1e30])
    np.testing.assert_allclose(got, [0, 2.0611537e-09, 0.5, 1, 1], rtol=1e-6)


def test_another_int8_zero_point_is_refused(oracle):
    refused = unary_model("LOGISTIC", (4,), "int8", x=(0.1, 0), y=(1 / 256, 0))
    with pytest.raises(ConstraintError, match="has the zero point -128"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"
