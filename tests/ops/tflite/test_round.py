"""ROUND equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("ROUND")

test_values = gives(
    "ROUND", {0.5: 0, 1.5: 2, 2.5: 2, -0.5: 0, -1.5: -2, 0.49999997: 0, np.inf: np.inf}
)
