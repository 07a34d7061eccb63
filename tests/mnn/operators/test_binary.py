"""MNN_BINARY: functions of two variables, of float32 and of int32."""

from typing import Any

import numpy as np
import pytest

from arenite.mnn.arithmetic.functions import COMPARISONS
from arenite.mnn.operators.binary import MnnBinaryOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def binary(kind: str, a: Any, b: Any, *, relu: bool = False) -> Array:
    """The function of two arrays."""
    a, b = np.asarray(a), np.asarray(b)
    inputs = [Fed(a.shape, a.dtype.name), Fed(b.shape, b.dtype.name)]
    kind_of_output = "int32" if kind in COMPARISONS else a.dtype.name
    output = Fed(np.broadcast_shapes(a.shape, b.shape), kind_of_output)
    (y,) = outputs_of(single("BINARY", inputs, output, MnnBinaryOptions(kind, relu)), a, b)
    return y


@pytest.mark.parametrize(
    ("kind", "a", "b", "wanted"),
    [
        ("SquaredDifference", [1, 2.5], [3, 2], [4, 0.25]),
        ("FLOORDIV", [7, -7], [2, 2], [3, -4]),
        ("FLOORMOD", [7, -7], [4, 4], [3, 1]),
        ("MOD", [7, -7], [4, 4], [3, -3]),
        ("POW", [2, 9], [3, 0.5], [8, 3]),
    ],
)
def test_floats(kind: str, a: list[float], b: list[float], wanted: list[float]) -> None:
    assert binary(kind, np.float32(a), np.float32(b)).tolist() == wanted


@pytest.mark.parametrize(
    ("kind", "a", "b", "wanted"),
    [
        ("DIV", [7, -7, 7], [2, 2, 0], [3, -3, 0]),
        ("FLOORDIV", [7, -7], [2, 2], [3, -4]),
        ("MOD", [7, -7], [4, 4], [3, 1]),
        ("FLOORMOD", [7, -7], [4, 4], [3, -3]),
        ("BITWISE_XOR", [6, 5], [3, 5], [5, 0]),
        ("LEFTSHIFT", [3, 1], [2, 33], [12, 2]),
    ],
)
def test_integers(kind: str, a: list[int], b: list[int], wanted: list[int]) -> None:
    assert binary(kind, np.int32(a), np.int32(b)).tolist() == wanted


def test_a_comparison_of_floats_is_1_or_0() -> None:
    y = binary("LESS", np.float32([1, 2, 3]), np.float32([2, 2, 2]))
    assert (y.dtype, y.tolist()) == (np.int32, [1, 0, 0])


def test_shapes_broadcast() -> None:
    assert binary("ADD", np.int32([[1], [2]]), np.int32([10, 20])).tolist() == [[11, 21], [12, 22]]


def test_relu_leaves_nothing_below_0() -> None:
    assert binary("SUB", np.float32([5, 1]), np.float32([3, 3]), relu=True).tolist() == [2, 0]
