"""GATHER_ND equals TFLM on random shapes and index vectors."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses, run_arenite
from tests.oracle import Oracle


def gather_nd(shape: tuple[int, ...], indices: np.ndarray, kind: str = "int8") -> Model:
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.constant("indices", indices)]
    y = b.tensor("y", (*indices.shape[:-1], *shape[indices.shape[-1] :]), kind)
    return one_operator(b, "GATHER_ND", inputs, [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=5)))
    depth = draw(st.integers(1, len(shape)))
    outer = tuple(draw(st.lists(st.integers(1, 4), max_size=2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    indices = rng.integers(0, shape[:depth], (*outer, depth)).astype(np.int32)
    return gather_nd(shape, indices, draw(st.sampled_from(["int8", "float32"])))


test_equals_tflm = equals_tflm(models())


def test_whole_indices_pick_elements() -> None:
    model = gather_nd((2, 3), np.array([[0, 2], [1, 0]], np.int32))
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert run_arenite(model, [[x]])[0][0].tolist() == [2, 3]


def test_shorter_indices_pick_slices() -> None:
    model = gather_nd((2, 3), np.array([[1]], np.int32))
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert run_arenite(model, [[x]])[0][0].tolist() == [[3, 4, 5]]


def test_an_offset_outside_of_the_input_is_refused() -> None:
    model = gather_nd((2, 3), np.array([[2, 0]], np.int32))
    with pytest.raises(ConstraintError, match=r"expected indices into \[2, 3\], got \[\[2, 0\]\]"):
        run_arenite(model, [[np.zeros((2, 3), np.int8)]])


test_what_is_refused = refuses(
    (gather_nd((2,), np.zeros((1, 1), np.int32), "int16"), "Input 0 is one of: float32, int8"),
    (gather_nd((2,), np.zeros((1, 1), np.int64)), "Input 1 is one of: int32"),
    (gather_nd((2,), np.zeros((1, 2), np.int32)), "Index vectors"),
    (gather_nd((1,) * 6, np.zeros((1, 6), np.int32)), "at most 5 numbers"),
)


def test_an_index_vector_without_numbers_is_the_whole_input(oracle: Oracle) -> None:
    assert agrees(oracle, gather_nd((1,), np.zeros((0,), np.int32)), 0).status == "ok"
