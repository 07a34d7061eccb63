"""MNN_UNARY: functions of one variable."""

import numpy as np
import pytest

from arenite.mnn.operators.unary import MnnUnaryOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def unary(options: MnnUnaryOptions, x: Array) -> list[float]:
    """The function of every element."""
    tensor = Fed(x.shape, x.dtype.name)
    (y,) = outputs_of(single("UNARY", [tensor], tensor, options), x)
    return list(y.tolist())


@pytest.mark.parametrize(
    ("kind", "x", "wanted"),
    [
        ("ROUND", [0.5, -0.5, 1.4, -2.5], [1, -1, 1, -3]),
        ("SIGN", [3, -0.1, 0], [1, -1, 0]),
        ("RECIPROCAL", [4, -0.5], [0.25, -2]),
        ("CEIL", [1.2, -1.2], [2, -1]),
        ("SIGMOID", [0, 100, -100], [0.5, 1, 0]),
        ("ERF", [0, 6, -6], [0, 1, -1]),
        ("HARDSWISH", [-3, 0, 3, 6], [0, 0, 3, 6]),
        ("GELU_STANDARD", [0, 20, -20], [0, 20, 0]),
    ],
)
def test_floats(kind: str, x: list[float], wanted: list[float]) -> None:
    y = unary(MnnUnaryOptions(kind), np.float32(x))
    np.testing.assert_allclose(y, wanted, rtol=0, atol=1e-30)


@pytest.mark.parametrize(
    ("kind", "wanted"), [("ABS", [3, 0, 4]), ("NEG", [-3, 0, 4]), ("SQUARE", [9, 0, 16])]
)
def test_integers(kind: str, wanted: list[int]) -> None:
    assert unary(MnnUnaryOptions(kind), np.int32([3, 0, -4])) == wanted


def test_clip_keeps_what_lies_between() -> None:
    assert unary(MnnUnaryOptions("CLIP", -1.0, 2.0), np.float32([-5, 0.5, 5])) == [-1, 0.5, 2]


def test_elu_has_a_factor_for_what_is_negative_and_one_for_all() -> None:
    # Far below 0 exp(x) - 1 is -1.
    assert unary(MnnUnaryOptions("ELU", 3.0, 2.0), np.float32([5, 0, -200])) == [10, 0, -6]
