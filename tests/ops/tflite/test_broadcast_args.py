"""BROADCAST_ARGS equals TFLM on random shapes."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from tests.ops.binary import run
from tests.ops.differential import agrees, equals_tflm, one_operator
from tests.oracle import Oracle


def shape_of(lengths: tuple[int, int], kind: str = "int32") -> Model:
    b = ModelBuilder()
    inputs = [b.input(name, (n,), kind) for name, n in zip("ab", lengths, strict=True)]
    y = b.tensor("y", (max(lengths),), kind)
    return one_operator(b, "BROADCAST_ARGS", inputs, [y])


def operands(model: Model, seed: int) -> list[np.ndarray]:
    """Two shapes that broadcast: both are the same one with ones at random places."""
    rng = np.random.default_rng(seed)
    (m,), (n,) = (tensor.shape for tensor in model.inputs)
    full = rng.choice([0, 1, 2, 7, 2**31 - 1, -1], max(m, n))
    shapes = [np.where(rng.random(k) < 0.3, 1, full[len(full) - k :]) for k in (m, n)]
    return [shape.astype(model.inputs[0].type.dtype) for shape in shapes]


LENGTHS = st.tuples(st.integers(1, 6), st.integers(1, 6))


test_equals_tflm = equals_tflm(
    st.builds(shape_of, LENGTHS, st.sampled_from(["int32", "int64"])), inputs=operands, invokes=3
)


def test_the_size_that_is_not_1_is_taken() -> None:
    np.testing.assert_array_equal(run(shape_of((3, 2)), [5, 1, 3], [4, 1]), [5, 4, 3])


def test_sizes_of_int64_lose_their_high_bits(oracle: Oracle) -> None:
    model = shape_of((2, 2), "int64")
    inputs = [np.array([2**32 + 1, 3], np.int64), np.array([2**33 + 5, 1], np.int64)]
    np.testing.assert_array_equal(run(model, *inputs), [5, 3])
    assert agrees(oracle, model, 0, inputs=inputs).status == "ok"


def test_sizes_that_do_not_go_together_are_refused(oracle: Oracle) -> None:
    model = shape_of((2, 1))
    inputs = [np.array([4, 2], np.int32), np.array([3], np.int32)]
    with pytest.raises(ConstraintError, match="got sizes 2 and 3 on axis 1"):
        run(model, *inputs)
    assert agrees(oracle, model, 0, inputs=inputs).status == "crashed"
