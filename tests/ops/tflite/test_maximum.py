"""MAXIMUM equals TFLM on random shapes and types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from tests.ops.binary import binary_model, broadcast_shapes, run
from tests.ops.differential import agrees, differential, random_array
from tests.oracle import Oracle

OPTIONS = MaximumMinimumOptions()


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "int32", "int64", "float32"]))
    # Whatever the scales are, the quantised values are compared.
    scales = draw(st.sampled_from([None, (0.1, 0.2, 0.3)]))
    return binary_model("MAXIMUM", draw(broadcast_shapes()), kind, OPTIONS, scales=scales)


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = [random_array(tensor, rng) for tensor in model.inputs]
    for value in inputs:
        if value.dtype.kind == "f":
            value[rng.random(value.shape) < 0.1] = np.nan
    agrees(oracle, model, seed, inputs=inputs)


def test_the_larger_value_is_taken():
    got = run(binary_model("MAXIMUM", ((2, 1), (3,)), "int8", OPTIONS), [[0], [5]], [-1, 0, 9])
    np.testing.assert_array_equal(got, [[0, 0, 9], [5, 5, 9]])


def test_beside_nan_the_second_input_is_taken():
    got = run(binary_model("MAXIMUM", ((2,), (2,)), "float32", OPTIONS), [np.nan, 1], [1, np.nan])
    np.testing.assert_array_equal(got, [1, np.nan])


def test_other_types_are_refused(oracle):
    refused = binary_model("MAXIMUM", ((2,), (2,)), "uint8", OPTIONS)
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"


def test_more_than_six_dimensions_are_refused():
    refused = binary_model("MAXIMUM", ((1,) * 7, (1,)), "int8", OPTIONS)
    with pytest.raises(ConstraintError, match="at most 6 dimensions"):
        run(refused)
