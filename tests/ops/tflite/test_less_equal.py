"""LESS_EQUAL equals TFLM on random shapes, types and quantisation."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.binary import binary_model, run
from tests.ops.comparisons import compare, comparisons, operands
from tests.ops.differential import agrees, equals_tflm
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(comparisons("LESS_EQUAL"), inputs=operands, invokes=3)


def test_numbers_are_compared() -> None:
    assert compare("LESS_EQUAL", "int32", [1, 2, 3], [2]) == [True, True, False]


def test_quantised_values_are_compared_as_real_numbers() -> None:
    # 0.5 * (v - 1) beside 0.25 * v: 4 is 1.5, 6 is 1.5
    scales, zeros = (0.5, 0.25, 1.0), (1, 0, 0)
    got = compare("LESS_EQUAL", "int8", [3, 4, 5], [6], scales=scales, zero_points=zeros)
    assert got == [True, True, False]


def test_nan_is_never_less_or_equal() -> None:
    assert compare("LESS_EQUAL", "float32", [np.nan, 1, np.nan], [1, np.nan, np.nan]) == [False] * 3


def test_scales_of_1_and_more_are_refused(oracle: Oracle) -> None:
    refused = binary_model(
        "LESS_EQUAL", ((2,), (2,)), "int8", scales=(0.5, 1.0, 1.0), output="bool"
    )
    with pytest.raises(ConstraintError, match="scale of input 1 must be between 0 and 1, got 1"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "crashed"


def test_other_types_are_refused(oracle: Oracle) -> None:
    refused = binary_model("LESS_EQUAL", ((2,), (2,)), "int16", output="bool")
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8, int32, int64"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"
