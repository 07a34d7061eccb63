"""Functions of floats, element by element: what holds for all of them."""

import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import agrees
from tests.ops.unary import is_refused, reshaped, run, unary_model
from tests.oracle import Oracle

REFUSE_OTHER_DIMENSIONS = ["CEIL", "EXP", "ROUND"]
KEEP_OTHER_DIMENSIONS = ["COS", "FLOOR", "LOG", "NEG", "SIN", "SQRT", "SQUARE"]


@pytest.mark.parametrize("kind", ["int8", "int32"])
@pytest.mark.parametrize("name", REFUSE_OTHER_DIMENSIONS + KEEP_OTHER_DIMENSIONS)
def test_other_types_are_refused(name: str, kind: str) -> None:
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32"):
        run(unary_model(name, (4,), kind), 0)


@pytest.mark.parametrize("name", REFUSE_OTHER_DIMENSIONS)
def test_an_output_of_other_dimensions_is_refused(oracle: Oracle, name: str) -> None:
    assert is_refused(oracle, reshaped(name, (2, 3), (3, 2)))


@pytest.mark.parametrize("name", KEEP_OTHER_DIMENSIONS)
def test_an_output_of_other_dimensions_gets_the_elements_in_order(
    oracle: Oracle, name: str
) -> None:
    assert agrees(oracle, reshaped(name, (2, 3), (6, 1)), 0).status == "ok"
