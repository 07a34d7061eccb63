"""COS equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("COS", -4, 12)

test_values = gives(
    "COS",
    {
        0.0: 1,
        np.pi: -1,
        np.pi / 2: 0,
        1e30: np.cos(np.float32(1e30).astype(float)),
        np.inf: np.nan,
        np.nan: np.nan,
    },
    atol=1e-6,
)
