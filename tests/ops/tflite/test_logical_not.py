"""LOGICAL_NOT equals TFLM on random shapes."""

import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import equals_tflm
from tests.ops.unary import run, shapes, unary_model


@st.composite
def models(draw: st.DrawFn) -> Model:
    return unary_model("LOGICAL_NOT", draw(shapes() | st.just((3, 701))), "bool")


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_values():
    assert run(unary_model("LOGICAL_NOT", (2,), "bool"), [True, False]).tolist() == [False, True]


def test_other_types_are_refused():
    with pytest.raises(ConstraintError, match="Input 0 is one of: bool"):
        run(unary_model("LOGICAL_NOT", (4,), "int8"), 0)
