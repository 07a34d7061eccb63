"""CEIL equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("CEIL")

test_values = gives("CEIL", {1.2: 2, -1.2: -1, 0.0: 0, 3.0: 3, np.inf: np.inf, np.nan: np.nan})
