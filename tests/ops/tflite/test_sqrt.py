"""SQRT equals TFLM on random shapes and values."""

import numpy as np

from tests.ops.unary import float_function_equals_tflm, gives

test_equals_tflm = float_function_equals_tflm("SQRT")

test_values = gives("SQRT", {4.0: 2, 2.0: 2**0.5, 0.0: 0, -1.0: np.nan, np.inf: np.inf}, rtol=1e-6)
