"""LOG equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("LOG")

test_values = gives(
    "LOG",
    {1.0: 0, np.e: 1, 0.0: -np.inf, -1.0: np.nan, np.inf: np.inf, 1e-40: -92.1034},
    rtol=1e-6,
    atol=1e-7,
)
