"""GREATER_EQUAL equals TFLM on random shapes, types and quantisation."""

from tests.ops.comparisons import compare, comparisons, operands
from tests.ops.differential import equals_tflm

test_equals_tflm = equals_tflm(comparisons("GREATER_EQUAL"), inputs=operands, invokes=3)


def test_numbers_are_compared() -> None:
    assert compare("GREATER_EQUAL", "int32", [1, 2, 3], [2]) == [False, True, True]
