"""LOGICAL_OR equals TFLM on random shapes."""

from __future__ import annotations

import numpy as np

from tests.ops.binary import binary_model, binary_models, run
from tests.ops.differential import equals_tflm, refuses

test_equals_tflm = equals_tflm(binary_models("LOGICAL_OR", "bool"), invokes=3)


def test_its_four_values() -> None:
    model = binary_model("LOGICAL_OR", ((2, 1), (2,)), "bool")
    got = run(model, [[True], [False]], [True, False])
    assert got.reshape(-1).tolist() == [True, True, True, False]


def test_a_byte_of_a_constant_that_is_not_0_is_true() -> None:
    constant = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    model = binary_model("LOGICAL_OR", ((4,), (4,)), "bool", constant=constant)
    assert run(model, [False] * 4).view(np.uint8).tolist() == [0, 1, 1, 1]


test_other_types_are_refused = refuses(
    (binary_model("LOGICAL_OR", ((2,), (2,)), "int8"), "Input 0 is one of: bool")
)
