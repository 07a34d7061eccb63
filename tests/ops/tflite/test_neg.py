"""NEG equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("NEG")

test_values = gives("NEG", {1.0: -1, -2.5: 2.5, 0.0: 0, np.inf: -np.inf, np.nan: np.nan})
