"""GATHER equals TFLM on random axes, batch dimensions and indices."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.gather import GatherOptions
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite


def gather(
    shape: tuple[int, ...],
    indices: np.ndarray,
    axis: int = 0,
    batch_dims: int = 0,
    kind: str = "int8",
) -> Model:
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    place = axis + len(shape) if axis < 0 else axis
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.constant("indices", indices)]
    y = b.tensor("y", (*shape[:place], *indices.shape[batch:], *shape[place + 1 :]), kind)
    return one_operator(b, "GATHER", inputs, [y], GatherOptions(axis, batch_dims))


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    axis = draw(st.integers(0, len(shape) - 1))
    batch = draw(st.integers(0, axis))
    more = tuple(draw(st.lists(st.integers(1, 4), max_size=2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    indices = rng.integers(0, shape[axis], shape[:batch] + more, dtype=np.int32)
    negative = draw(st.booleans())
    batch_dims = batch - indices.ndim if negative and batch < indices.ndim else batch
    kind = draw(st.sampled_from(["int8", "float32"]))
    return gather(shape, indices, axis - len(shape) if negative else axis, batch_dims, kind)


test_equals_tflm = equals_tflm(models())


def test_rows_are_picked() -> None:
    model = gather((3, 2), np.array([2, 0], np.int32))
    x = np.arange(6, dtype=np.int8).reshape(3, 2)
    assert run_arenite(model, [[x]])[0][0].tolist() == [[4, 5], [0, 1]]


def test_each_batch_has_its_own_indices() -> None:
    model = gather((2, 3), np.array([[1], [2]], np.int32), 1, 1)
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert run_arenite(model, [[x]])[0][0].tolist() == [[1], [5]]


def test_an_index_outside_of_the_axis_is_refused() -> None:
    model = gather((3,), np.array([0, 3], np.int32))
    with pytest.raises(ConstraintError, match="expected indices from 0 to 2, got 0 to 3"):
        run_arenite(model, [[np.zeros(3, np.int8)]])


test_what_is_refused = refuses(
    (gather((2,), np.zeros(1, np.int32), 0, kind="int16"), "Input 0 is one of: float32, int8"),
    (gather((2,), np.zeros(1, np.int64)), "Input 1 is one of: int32"),
    (gather((2, 2), np.zeros((3, 1), np.int32), 1, 1), r"\[2, 2\] and \[3, 1\] differ"),
)


@pytest.mark.parametrize(("axis", "batch_dims"), [(2, 0), (-3, 0), (0, 1), (1, 2)])
def test_axes_that_are_refused(axis: int, batch_dims: int) -> None:
    b = ModelBuilder()
    inputs = [b.input("x", (2, 2), "int8"), b.constant("i", np.zeros((2, 2), np.int32))]
    y = b.tensor("y", (2, 2), "int8")
    b.operator("GATHER", inputs, [y], GatherOptions(axis, batch_dims))
    b.output(y)
    with pytest.raises(ConstraintError, match="expected an axis of"):
        run_arenite(b.build(), [])
