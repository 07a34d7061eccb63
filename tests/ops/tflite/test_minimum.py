"""MINIMUM equals TFLM on random shapes and types."""

import numpy as np

from tests.ops.binary import binary_model, run
from tests.ops.differential import equals_tflm
from tests.ops.maximum_minimum import OPTIONS, models, operands

test_equals_tflm = equals_tflm(models("MINIMUM"), inputs=operands)


def test_the_smaller_value_is_taken():
    got = run(binary_model("MINIMUM", ((2, 1), (3,)), "int8", OPTIONS), [[0], [5]], [-1, 0, 9])
    np.testing.assert_array_equal(got, [[-1, 0, 0], [-1, 0, 5]])
