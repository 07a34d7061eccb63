"""The six comparisons, as far as they are alike."""

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.binary import binary_model, run
from tests.ops.comparisons import compare
from tests.ops.differential import agrees
from tests.oracle import Oracle

#: Whether a comparison holds of a number below, equal to and above another one, and beside NaN.
HOLDS = {
    "EQUAL": ([False, True, False], False),
    "NOT_EQUAL": ([True, False, True], True),
    "LESS": ([True, False, False], False),
    "LESS_EQUAL": ([True, True, False], False),
    "GREATER": ([False, False, True], False),
    "GREATER_EQUAL": ([False, True, True], False),
}


@pytest.mark.parametrize("name", HOLDS)
def test_quantised_values_are_compared_as_real_numbers(name: str) -> None:
    # 0.5 * (v - 1) beside 0.25 * v: 4 is 1.5, 6 is 1.5
    scales, zeros = (0.5, 0.25, 1.0), (1, 0, 0)
    got = compare(name, "int8", [3, 4, 5], [6], scales=scales, zero_points=zeros)
    assert got == HOLDS[name][0]


@pytest.mark.parametrize("name", HOLDS)
def test_nan_differs_from_everything_and_nothing_else_holds_of_it(name: str) -> None:
    got = compare(name, "float32", [np.nan, 1, np.nan], [1, np.nan, np.nan])
    assert got == [HOLDS[name][1]] * 3


@pytest.mark.parametrize("name", HOLDS)
def test_scales_of_1_and_more_are_refused(oracle: Oracle, name: str) -> None:
    refused = binary_model(name, ((2,), (2,)), "int8", scales=(0.5, 1.0, 1.0), output="bool")
    with pytest.raises(ConstraintError, match="scale of input 1 must be between 0 and 1, got 1"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "crashed"


@pytest.mark.parametrize("name", HOLDS)
def test_other_types_are_refused(oracle: Oracle, name: str) -> None:
    kind = "bool" if name == "GREATER" else "int16"  # which alone has int16
    refused = binary_model(name, ((2,), (2,)), kind, output="bool")
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8, int32, int64"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"
