"""MAXIMUM and MINIMUM, as far as they are alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from tests.ops.binary import binary_model, broadcast_shapes, run
from tests.ops.differential import agrees, random_array

OPTIONS = MaximumMinimumOptions()
NAMES = ["MAXIMUM", "MINIMUM"]


@st.composite
def models(draw: st.DrawFn, name: str) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "int32", "int64", "float32"]))
    # Whatever the scales are, the quantised values are compared.
    scales = draw(st.sampled_from([None, (0.1, 0.2, 0.3)]))
    return binary_model(name, draw(broadcast_shapes()), kind, OPTIONS, scales=scales)


def operands(model: Model, seed: int) -> list[np.ndarray]:
    """Random inputs; of floats a tenth is NaN."""
    rng = np.random.default_rng(seed)
    inputs = [random_array(tensor, rng) for tensor in model.inputs]
    for value in inputs:
        if value.dtype.kind == "f":
            value[rng.random(value.shape) < 0.1] = np.nan
    return inputs


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
