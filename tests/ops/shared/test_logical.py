"""LOGICAL_AND and LOGICAL_OR: what is true, and of which type it is."""

import numpy as np
import pytest

from tests.ops.binary import binary_model, run
from tests.ops.differential import refuses

#: With the value that leaves the other one as it is, and the results of all pairs.
OPERATORS = [
    ("LOGICAL_AND", True, [True, False, False, False]),
    ("LOGICAL_OR", False, [True, True, True, False]),
]


@pytest.mark.parametrize(("name", "neutral", "values"), OPERATORS)
def test_its_four_values(name: str, neutral: bool, values: list[bool]) -> None:
    got = run(binary_model(name, ((2, 1), (2,)), "bool"), [[True], [False]], [True, False])
    assert got.reshape(-1).tolist() == values


@pytest.mark.parametrize(("name", "neutral", "values"), OPERATORS)
def test_a_byte_of_a_constant_that_is_not_0_is_true(
    name: str, neutral: bool, values: list[bool]
) -> None:
    constant = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    model = binary_model(name, ((4,), (4,)), "bool", constant=constant)
    assert run(model, [neutral] * 4).view(np.uint8).tolist() == [0, 1, 1, 1]


test_other_types_are_refused = refuses(
    *(
        (binary_model(name, ((2,), (2,)), "int8"), "Input 0 is one of: bool")
        for name, _, _ in OPERATORS
    )
)
