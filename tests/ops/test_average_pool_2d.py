"""AVERAGE_POOL_2D equals TFLM on random windows, quantisation, activations and types."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.convolutions import exact_inputs
from tests.ops.differential import agrees, differential
from tests.ops.pooling import pooling_models
from tests.oracle import Oracle


@differential
@given(model=pooling_models("AVERAGE_POOL_2D"), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, inputs=exact_inputs(model, seed))
