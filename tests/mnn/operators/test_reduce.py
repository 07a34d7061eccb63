"""MNN_REDUCE: reductions of float32 and int32."""

import numpy as np
import pytest

from arenite.mnn.operators.reduce import MnnReduceOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def reduced(kind: str, x: Array, *axes: int) -> list[float]:
    """What remains."""
    shape = tuple(n for axis, n in enumerate(x.shape) if axis not in axes)
    output = Fed(shape, x.dtype.name)
    operator = single("REDUCE", [Fed(x.shape, x.dtype.name)], output, MnnReduceOptions(kind, axes))
    (y,) = outputs_of(operator, x)
    return list(y.tolist())


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("SUM", [5, 1]),
        ("PROD", [6, -12]),
        ("MAXIMUM", [3, 4]),
        ("MINIMUM", [2, -3]),
        ("ANY", [1, 1]),
        ("ALL", [1, 1]),
    ],
)
def test_every_row_becomes_a_number(kind: str, wanted: list[int], dtype: str) -> None:
    assert reduced(kind, np.array([[2, 3], [4, -3]], dtype), 1) == wanted


def test_any_and_all_ask_what_is_not_0() -> None:
    x = np.int32([[0, 5], [0, 0], [-1, 2]])
    assert reduced("ANY", x, 1) == [1, 0, 1]
    assert reduced("ALL", x, 1) == [0, 0, 1]


def test_the_mean_of_integers_cuts_towards_zero() -> None:
    assert reduced("MEAN", np.int32([[3, 0], [-3, 0]]), 1) == [1, -1]
    assert reduced("MEAN", np.float32([[3, 0], [-3, 0]]), 1) == [1.5, -1.5]


def test_several_axes() -> None:
    x = np.arange(8, dtype=np.int32).reshape(2, 2, 2)
    assert reduced("SUM", x, 0, 2) == [0 + 1 + 4 + 5, 2 + 3 + 6 + 7]


def test_sums_of_integers_wrap_around() -> None:
    assert reduced("SUM", np.int32([[2**31 - 1, 1]]), 1) == [-(2**31)]
