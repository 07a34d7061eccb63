"""SQUARE equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("SQUARE")

test_values = gives("SQUARE", {3.0: 9, -0.5: 0.25, 0.0: 0, -np.inf: np.inf, 1e20: np.inf})
