"""EXPAND_DIMS equals TFLM for every axis and type."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite


def expand_dims(
    shape: tuple[int, ...],
    axis: int,
    kind: str = "int8",
    axis_type: str = "int32",
    axis_shape: tuple[int, ...] = (),
) -> Model:
    expanded = list(shape)
    expanded.insert(axis + len(shape) + 1 if axis < 0 else axis, 1)
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.constant("axis", np.full(axis_shape, axis, axis_type))]
    y = b.tensor("y", expanded, kind)
    return one_operator(b, "EXPAND_DIMS", inputs, [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 5), max_size=5)))
    axis = draw(st.integers(-len(shape) - 1, len(shape)))
    kind = draw(st.sampled_from(["int8", "int16", "float32"]))
    return expand_dims(shape, axis, kind, axis_shape=draw(st.sampled_from([(), (1,)])))


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize(("axis", "expanded"), [(0, (1, 2)), (1, (2, 1)), (-1, (2, 1))])
def test_a_dimension_of_size_1_is_inserted(axis: int, expanded: tuple[int, ...]) -> None:
    result = run_arenite(expand_dims((2,), axis), [[np.array([5, 6], np.int8)]])[0][0]
    assert result.shape == expanded
    assert result.reshape(-1).tolist() == [5, 6]


test_what_is_refused = refuses(
    (expand_dims((2,), 2), r"axis must lie in \[-2, 2\), got 2"),
    (expand_dims((2,), -3), r"axis must lie in \[-2, 2\), got -3"),
    (expand_dims((2,), 0, axis_shape=(2,)), r"The axis \(input 1\) is one number"),
    (expand_dims((2,), 0, axis_type="int64"), "Input 1 is one of: int32"),
    (expand_dims((2,), 0, "int32"), "Input 0 is one of: float32, int8, int16"),
    (expand_dims((1,) * 6, 0), "Input 0 has at most 5 dimensions"),
)
