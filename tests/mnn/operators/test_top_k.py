"""MNN_TOP_K: the largest or smallest elements, in order, and where they are."""

import numpy as np
import pytest

from arenite.mnn.operators.top_k import MnnTopKOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def top(x: Array, options: MnnTopKOptions) -> tuple[list[float], list[int]]:
    """The elements, and their positions."""
    shape = tuple(options.count if a == options.axis else n for a, n in enumerate(x.shape))
    outputs = Fed(shape, x.dtype.name), Fed(shape, "int32")
    values, places = outputs_of(single("TOP_K", [Fed(x.shape, x.dtype.name)], outputs, options), x)
    return values.tolist(), places.tolist()


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_the_largest_come_in_order(kind: str) -> None:
    assert top(np.array([3, 9, -1, 7], kind), MnnTopKOptions(3)) == ([9, 7, 3], [1, 3, 0])


def test_the_smallest_do_too() -> None:
    assert top(np.int32([3, 9, -1, 7]), MnnTopKOptions(2, largest=False)) == ([-1, 3], [2, 0])


@pytest.mark.parametrize("largest", [True, False])
def test_among_equal_ones_the_first_comes_first(largest: bool) -> None:
    assert top(np.int32([5, 5, 5]), MnnTopKOptions(2, largest=largest)) == ([5, 5], [0, 1])


def test_along_an_axis() -> None:
    x = np.int32([[1, 8], [4, 2]])
    assert top(x, MnnTopKOptions(1, 0)) == ([[4, 8]], [[1, 0]])
    assert top(x, MnnTopKOptions(1, 1)) == ([[8], [4]], [[1], [0]])
