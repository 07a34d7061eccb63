"""MNN_ONE_HOT: a new axis with one value at an index."""

import numpy as np
import pytest

from arenite.mnn.operators.one_hot import MnnOneHotOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single

ONE_AND_0 = np.array(1, np.int32), np.array(0, np.int32)


def one_hot(indices: list[int], options: MnnOneHotOptions, on: Array, off: Array) -> Array:
    """The vector of indices with one more axis."""
    shape = [len(indices)]
    shape.insert(options.axis, options.depth)
    inputs = [Fed((len(indices),), "int32"), on, off]
    operator = single("ONE_HOT", inputs, Fed(tuple(shape), on.dtype.name), options)
    (y,) = outputs_of(operator, np.int32(indices))
    return y


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_one_value_at_the_index_and_another_elsewhere(kind: str) -> None:
    y = one_hot([2, 0], MnnOneHotOptions(3, 1), np.array(5, kind), np.array(-1, kind))
    assert y.tolist() == [[-1, -1, 5], [5, -1, -1]]


def test_the_new_axis_may_be_the_first() -> None:
    y = one_hot([2, 0], MnnOneHotOptions(3, 0), *ONE_AND_0)
    assert y.tolist() == [[0, 1], [0, 0], [1, 0]]


def test_an_index_outside_is_nowhere() -> None:
    y = one_hot([-1, 3], MnnOneHotOptions(3, 1), *ONE_AND_0)
    assert y.tolist() == [[0, 0, 0]] * 2
