"""ZEROS_LIKE equals TFLM on random shapes and types."""

import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import equals_tflm
from tests.ops.unary import run, shapes, unary_model


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["float32", "int64", "int32", "int8"]))
    quantization = draw(st.none() | st.just((0.5, 3 if kind == "int8" else 0)))
    if kind not in ("int8", "int32"):
        quantization = None
    shape = draw(shapes() | st.just((2, 1, 3, 1, 5, 1)))
    return unary_model("ZEROS_LIKE", shape, kind, x=quantization, y=quantization)


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_a_quantised_zero_is_not_the_zero_point():
    model = unary_model("ZEROS_LIKE", (2,), "int8", x=(0.5, 3), y=(0.5, 3))
    assert run(model, [7, 3]).tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["int16", "uint8", "bool"])
def test_other_types_are_refused(kind: str):
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int64, int32, int8"):
        run(unary_model("ZEROS_LIKE", (4,), kind), 0)
