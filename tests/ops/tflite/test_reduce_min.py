"""REDUCE_MIN equals TFLM on random shapes, axes and types."""

import numpy as np

from tests.ops.differential import equals_tflm, run
from tests.ops.reductions import odd_floats, reduction, reductions

NAME = "REDUCE_MIN"


test_equals_tflm = equals_tflm(reductions(NAME, "float32", "int8"), inputs=odd_floats, invokes=3)


def test_values() -> None:
    assert run(reduction(NAME, "int8", (2, 3), 1), [[1, 2, 3], [4, 5, 6]]) == [1, 4]


def test_nan_is_passed_over() -> None:
    x = [[np.nan, 2, 1], [np.nan, np.nan, np.nan]]
    assert run(reduction(NAME, "float32", (2, 3), [-1]), x) == [1, 3.4028234663852886e38]


def test_of_nothing_it_is_the_types_limit() -> None:
    expected = [127] * 2
    assert run(reduction(NAME, "int8", (2, 0), [1]), np.zeros((2, 0))) == expected
