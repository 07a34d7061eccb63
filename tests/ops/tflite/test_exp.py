"""EXP equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("EXP", -3, 2)

test_values = gives(
    "EXP",
    {0.0: 1, 1.0: np.e, -1.0: 1 / np.e, -np.inf: 0, np.inf: np.inf, 89.0: np.inf, np.nan: np.nan},
    rtol=1e-6,
)
