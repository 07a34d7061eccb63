"""SHAPE equals TFLM on random shapes and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError, ShapeError
from arenite.model import Model
from arenite.ops import AllOpsResolver
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import agrees, equals_tflm
from tests.ops.unary import reshaped, run
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["float32", "int8", "int16", "int32", "int64", "uint8", "bool"]))
    shape = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6).map(tuple))
    rank = len(shape)
    output = draw(st.sampled_from([(rank,), (rank,), (1, rank), (rank, 1)]))
    return reshaped("SHAPE", shape, output, kind, "int32")


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_the_dimensions_are_the_result():
    assert run(reshaped("SHAPE", (2, 1, 3), (3,), "int8", "int32"), 0).tolist() == [2, 1, 3]


def test_of_a_scalar_there_is_none():
    assert run(reshaped("SHAPE", (), (0,), "int8", "int32"), 0).size == 0


@pytest.mark.parametrize("size", [1, 3])
def test_an_output_of_another_size_is_refused_in_the_arena(size: int):
    model = reshaped("SHAPE", (2, 3), (size,), "int8", "int32")
    with pytest.raises(ShapeError, match="expected an output of shape"):
        MicroInterpreter(model, AllOpsResolver(), bytearray(1 << 14)).allocate_tensors()


def test_other_outputs_than_int32_are_refused(oracle: Oracle):
    model = reshaped("SHAPE", (2, 3), (2,), "int8", "int64")
    with pytest.raises(ConstraintError, match="Output 0 is int32"):
        run(model, 0)
    assert agrees(oracle, model, 0, inputs=[np.zeros((2, 3), np.int8)]).status == "refused"
