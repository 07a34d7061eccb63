"""MNN_GATHER_ELEMENTS: for every place of the output, an element along an axis."""

import numpy as np
import pytest

from arenite.mnn.operators.gather_elements import MnnGatherElementsOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single

X = [[1, 2, 3], [4, 5, 6]]


def gathered(x: Array, indices: Array, axis: int) -> list[list[float]]:
    """The elements at the indices."""
    inputs = [Fed(x.shape, x.dtype.name), Fed(indices.shape, "int32")]
    output = Fed(indices.shape, x.dtype.name)
    operator = single("GATHER_ELEMENTS", inputs, output, MnnGatherElementsOptions(axis))
    (y,) = outputs_of(operator, x, indices)
    return list(y.tolist())


@pytest.mark.parametrize("kind", ["float32", "int32", "int8"])
def test_indices_count_along_an_axis(kind: str) -> None:
    x = np.array(X, kind)
    assert gathered(x, np.int32([[2, 0], [1, 1]]), 1) == [[3, 1], [5, 5]]
    assert gathered(x, np.int32([[1, 0, 1]]), 0) == [[4, 2, 6]]


def test_negative_indices_count_from_the_end() -> None:
    assert gathered(np.int32(X), np.int32([[-1], [-3]]), 1) == [[3], [4]]


def test_indices_may_be_fewer_than_the_elements_of_other_axes() -> None:
    assert gathered(np.int32(X), np.int32([[2, 2]]), 1) == [[3, 3]]
