"""REDUCE_ALL equals TFLM on random shapes and axes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import agrees, differential, run
from tests.ops.reductions import reduction, reductions
from tests.oracle import Oracle


@differential
@given(model=reductions("REDUCE_ALL", "bool"), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    # Mostly true, or nothing but short rows would be.
    rng = np.random.default_rng(seed)
    x = rng.random(model.inputs[0].shape) > rng.choice([0.01, 0.2, 0.5])
    agrees(oracle, model, seed, inputs=[np.asarray(x)], invokes=3)


def test_values() -> None:
    model = reduction("REDUCE_ALL", "bool", (2, 2), 1)
    assert run(model, [[True, True], [True, False]]) == [True, False]


def test_of_nothing_it_is_true() -> None:
    assert run(reduction("REDUCE_ALL", "bool", (1, 0), [1]), np.zeros((1, 0), bool)) == [True]


def test_other_types_are_refused() -> None:
    with pytest.raises(ConstraintError, match="Input 0 is one of: bool"):
        run(reduction("REDUCE_ALL", "int8", (2,), 0), [1, 1])
