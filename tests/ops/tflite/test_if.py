"""IF equals TFLM in random models of subgraphs and variables."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.differential import agrees, differential
from tests.ops.subgraphs import models
from tests.oracle import Oracle


@differential
@given(model=models("branch"), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, invokes=3, reset=True)
