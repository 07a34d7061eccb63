"""MNN_CUMULATE: running sums and products."""

import numpy as np
import pytest

from arenite.mnn.operators.cumulate import MnnCumulateOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def cumulated(x: Array, options: MnnCumulateOptions) -> list[float]:
    """The running sums or products."""
    tensor = Fed(x.shape, x.dtype.name)
    (y,) = outputs_of(single("CUMULATE", [tensor], tensor, options), x)
    return list(y.tolist())


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_sums_and_products(kind: str) -> None:
    x = np.array([1, 2, 3, 4], kind)
    assert cumulated(x, MnnCumulateOptions("SUM")) == [1, 3, 6, 10]
    assert cumulated(x, MnnCumulateOptions("PROD")) == [1, 2, 6, 24]


def test_from_the_end() -> None:
    assert cumulated(np.int32([1, 2, 3]), MnnCumulateOptions("SUM", reverse=True)) == [6, 5, 3]


def test_without_the_element_itself() -> None:
    x = np.int32([2, 3, 4])
    assert cumulated(x, MnnCumulateOptions("SUM", exclusive=True)) == [0, 2, 5]
    assert cumulated(x, MnnCumulateOptions("PROD", exclusive=True)) == [1, 2, 6]
    assert cumulated(x, MnnCumulateOptions("PROD", reverse=True, exclusive=True)) == [12, 4, 1]


def test_along_an_axis() -> None:
    x = np.int32([[1, 2], [3, 4]])
    assert cumulated(x, MnnCumulateOptions("SUM", 0)) == [[1, 2], [4, 6]]
    assert cumulated(x, MnnCumulateOptions("SUM", 1)) == [[1, 3], [3, 7]]


def test_integers_wrap_around() -> None:
    assert cumulated(np.int32([2**31 - 1, 1]), MnnCumulateOptions("SUM")) == [2**31 - 1, -(2**31)]
