"""LOG equals TFLM on random shapes and values."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import float_inputs, float_models, reshaped, run, unary_model
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(float_models("LOG"), inputs=float_inputs, invokes=3)


def test_values():
    x = [1.0, np.e, 0.0, -1.0, np.inf, 1e-40]
    expected = [0, 1, -np.inf, np.nan, np.inf, -92.1034]
    np.testing.assert_allclose(
        run(unary_model("LOG", (len(x),), "float32"), x), expected, rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize("kind", ["int8", "int32"])
def test_other_types_are_refused(kind):
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(unary_model("LOG", (4,), kind), 0)


def test_an_output_of_other_dimensions_gets_the_elements_in_order(oracle: Oracle) -> None:
    assert agrees(oracle, reshaped("LOG", (2, 3), (6, 1)), 0).status == "ok"
