"""LOGICAL_AND equals TFLM on random shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from tests.ops.binary import Shape, binary_model, broadcast_shapes, run
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle


@differential
@given(shapes=broadcast_shapes(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, shapes: tuple[Shape, Shape], seed: int) -> None:
    agrees(oracle, binary_model("LOGICAL_AND", shapes, "bool"), seed, invokes=3)


def test_its_four_values() -> None:
    model = binary_model("LOGICAL_AND", ((2, 1), (2,)), "bool")
    got = run(model, [[True], [False]], [True, False])
    assert got.reshape(-1).tolist() == [True, False, False, False]


def test_a_byte_of_a_constant_that_is_not_0_is_true() -> None:
    constant = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    model = binary_model("LOGICAL_AND", ((4,), (4,)), "bool", constant=constant)
    assert run(model, [True] * 4).view(np.uint8).tolist() == [0, 1, 1, 1]


def test_other_types_are_refused() -> None:
    with pytest.raises(ConstraintError, match="Input 0 is one of: bool"):
        run(binary_model("LOGICAL_AND", ((2,), (2,)), "int8"))
