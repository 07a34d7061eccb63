"""MAXIMUM and MINIMUM, as far as they are alike."""

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.binary import binary_model, run
from tests.ops.differential import agrees
from tests.ops.maximum_minimum import OPTIONS

NAMES = ["MAXIMUM", "MINIMUM"]


@pytest.mark.parametrize("name", NAMES)
def test_beside_nan_the_second_input_is_taken(name):
    got = run(binary_model(name, ((2,), (2,)), "float32", OPTIONS), [np.nan, 1], [1, np.nan])
    np.testing.assert_array_equal(got, [1, np.nan])


@pytest.mark.parametrize("name", NAMES)
def test_other_types_are_refused(oracle, name):
    refused = binary_model(name, ((2,), (2,)), "uint8", OPTIONS)
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"


@pytest.mark.parametrize("name", NAMES)
def test_more_than_six_dimensions_are_refused(name):
    refused = binary_model(name, ((1,) * 7, (1,)), "int8", OPTIONS)
    with pytest.raises(ConstraintError, match="at most 6 dimensions"):
        run(refused)
