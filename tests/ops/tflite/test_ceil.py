"""CEIL equals TFLM on random shapes and values."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import equals_tflm
from tests.ops.unary import float_inputs, float_models, is_refused, reshaped, run, unary_model
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(float_models("CEIL"), inputs=float_inputs, invokes=3)


def test_values():
    x = [1.2, -1.2, 0.0, 3.0, np.inf, np.nan]
    expected = [2, -1, 0, 3, np.inf, np.nan]
    np.testing.assert_allclose(run(unary_model("CEIL", (len(x),), "float32"), x), expected)


@pytest.mark.parametrize("kind", ["int8", "int32"])
def test_other_types_are_refused(kind):
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(unary_model("CEIL", (4,), kind), 0)


def test_an_output_of_other_dimensions_is_refused(oracle: Oracle) -> None:
    assert is_refused(oracle, reshaped("CEIL", (2, 3), (3, 2)))
