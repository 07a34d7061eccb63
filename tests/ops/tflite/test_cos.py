"""COS equals TFLM on random shapes and values."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import float_inputs, float_models, reshaped, run, unary_model
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(
    float_models("COS"), inputs=lambda model, seed: float_inputs(model, seed, -4, 12), invokes=3
)


def test_values():
    x = [0.0, np.pi, np.pi / 2, 1e30, np.inf, np.nan]
    expected = [1, -1, 0, np.cos(np.float32(1e30).astype(float)), np.nan, np.nan]
    np.testing.assert_allclose(
        run(unary_model("COS", (len(x),), "float32"), x), expected, atol=1e-6
    )


@pytest.mark.parametrize("kind", ["int8", "int32"])
def test_other_types_are_refused(kind):
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(unary_model("COS", (4,), kind), 0)


def test_an_output_of_other_dimensions_gets_the_elements_in_order(oracle: Oracle) -> None:
    assert agrees(oracle, reshaped("COS", (2, 3), (6, 1)), 0).status == "ok"
