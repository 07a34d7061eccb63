"""TRANSPOSE equals TFLM for every permutation and type."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite


def transpose(
    shape: tuple[int, ...], perm: tuple[int, ...], kind: str = "int8", perm_type: str = "int32"
) -> Model:
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.constant("perm", np.array(perm, perm_type))]
    y = b.tensor("y", [shape[axis] for axis in perm], kind)
    return one_operator(b, "TRANSPOSE", inputs, [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=5)))
    perm = tuple(draw(st.permutations(range(len(shape)))))
    return transpose(shape, perm, draw(st.sampled_from(["int8", "int16", "float32"])))


test_equals_tflm = equals_tflm(models())


def test_axis_i_of_the_output_is_axis_perm_i_of_the_input() -> None:
    x = np.arange(6, dtype=np.int8).reshape(1, 2, 3)
    result = run_arenite(transpose((1, 2, 3), (2, 0, 1)), [[x]])[0][0]
    assert result.tolist() == [[[0, 3]], [[1, 4]], [[2, 5]]]


test_what_is_refused = refuses(
    (transpose((2, 2), (0, 0)), "names every axis of input 0 once"),
    (transpose((2, 2), (0, -1)), "names every axis of input 0 once"),
    (transpose((2, 2), (1,)), "names every axis of input 0 once"),
    (transpose((2, 2), (1, 0), perm_type="int64"), "is an int32 vector"),
    (transpose((1,) * 6, (0, 1, 2, 3, 4, 5)), "has 1 or 2 or 3 or 4 or 5 dimensions"),
    (transpose((2, 2), (1, 0), "int32"), "Input 0 is one of: float32, int8, int16"),
)
