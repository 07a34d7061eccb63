"""SIN equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("SIN", -4, 12)

test_values = gives(
    "SIN",
    {
        0.0: 0,
        np.pi / 2: 1,
        -np.pi / 6: -0.5,
        1e30: np.sin(np.float32(1e30).astype(float)),
        -np.inf: np.nan,
        1e-40: 1e-40,
    },
    atol=1e-6,
)
