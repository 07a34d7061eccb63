"""EXP equals TFLM on random shapes and values."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import equals_tflm
from tests.ops.unary import float_inputs, float_models, is_refused, reshaped, run, unary_model
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(
    float_models("EXP"), inputs=lambda model, seed: float_inputs(model, seed, -3, 2), invokes=3
)


def test_values():
    x = [0.0, 1.0, -1.0, -np.inf, np.inf, 89.0, np.nan]
    expected = [1, np.e, 1 / np.e, 0, np.inf, np.inf, np.nan]
    np.testing.assert_allclose(
        run(unary_model("EXP", (len(x),), "float32"), x), expected, rtol=1e-6
    )


@pytest.mark.parametrize("kind", ["int8", "int32"])
def test_other_types_are_refused(kind):
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(unary_model("EXP", (4,), kind), 0)


def test_an_output_of_other_dimensions_is_refused(oracle: Oracle) -> None:
    assert is_refused(oracle, reshaped("EXP", (2, 3), (3, 2)))
