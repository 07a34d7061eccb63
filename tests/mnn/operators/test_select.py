"""MNN_SELECT: from two tensors the one that a condition says."""

import numpy as np
import pytest

from tests.mnn.operator_models import Array, Fed, outputs_of, single


def selected(condition: Array, a: Array, b: Array) -> list[float]:
    """From ``a`` where the condition is not 0, else from ``b``."""
    inputs = [Fed(x.shape, x.dtype.name) for x in (condition, a, b)]
    shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
    (y,) = outputs_of(single("SELECT", inputs, Fed(shape, a.dtype.name)), condition, a, b)
    return list(y.tolist())


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_whatever_is_not_0_takes_the_first(kind: str) -> None:
    a, b = np.array([1, 2, 3], kind), np.array([10, 20, 30], kind)
    assert selected(np.int32([0, 1, -5]), a, b) == [10, 2, 3]


def test_all_three_shapes_broadcast() -> None:
    a, b = np.int32([[1], [2]]), np.int32([[7]])
    assert selected(np.int32([1, 0]), a, b) == [[1, 7], [2, 7]]
