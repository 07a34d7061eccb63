"""SQRT equals TFLM on random shapes and values."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import float_inputs, float_models, reshaped, run, unary_model
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(float_models("SQRT"), inputs=float_inputs, invokes=3)


def test_values():
    x = [4.0, 2.0, 0.0, -1.0, np.inf]
    expected = [2, 2**0.5, 0, np.nan, np.inf]
    np.testing.assert_allclose(
        run(unary_model("SQRT", (len(x),), "float32"), x), expected, rtol=1e-6
    )


@pytest.mark.parametrize("kind", ["int8", "int32"])
def test_other_types_are_refused(kind):
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(unary_model("SQRT", (4,), kind), 0)


def test_an_output_of_other_dimensions_gets_the_elements_in_order(oracle: Oracle) -> None:
    assert agrees(oracle, reshaped("SQRT", (2, 3), (6, 1)), 0).status == "ok"
