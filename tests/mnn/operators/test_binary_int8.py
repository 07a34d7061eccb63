"""MNN_BINARY_INT8: functions of two real numbers, on int8 with scales."""

import numpy as np
import pytest

from arenite.mnn.operators.binary_int8 import MnnBinaryInt8Options
from tests.mnn.operator_models import Fed, outputs_of, single


def binary(
    a: Fed, b: Fed, output: Fed, options: MnnBinaryInt8Options, *values: list[int]
) -> list[int]:
    """The function of two vectors."""
    operator = single("BINARY_INT8", [a, b], output, options)
    (y,) = outputs_of(operator, *(np.int8(value) for value in values))
    return [int(n) for n in y]


def int8(size: int, scale: float, zero: int = 0) -> Fed:
    """A vector with a scale and a zero point."""
    return Fed((size,), "int8", scale, zero)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("ADD", [5, 5]),
        ("SUB", [3, -5]),
        ("MUL", [4, 0]),
        ("REALDIV", [4, 0]),
        ("SquaredDifference", [9, 25]),
        ("MAXIMUM", [4, 5]),
        ("MINIMUM", [1, 0]),
    ],
)
def test_the_function_is_one_of_real_numbers(kind: str, wanted: list[int]) -> None:
    # 4 and 0 in halves, 1 and 5 in quarters.
    half, quarter = int8(2, 0.5), int8(2, 0.25)
    options = MnnBinaryInt8Options(kind)
    assert binary(half, quarter, int8(2, 1.0), options, [8, 0], [4, 20]) == wanted


def test_a_function_without_a_native_kernel() -> None:
    options = MnnBinaryInt8Options("POW")
    assert binary(int8(2, 1.0), int8(2, 1.0), int8(2, 1.0), options, [2, 3], [3, 4]) == [8, 81]


def test_zero_points_are_taken_off_and_put_on() -> None:
    options = MnnBinaryInt8Options("ADD")
    a, b, y = int8(1, 1.0, 10), int8(1, 1.0, -20), int8(1, 1.0, 5)
    assert binary(a, b, y, options, [11], [-18]) == [1 + 2 + 5]


def test_halves_go_away_from_zero() -> None:
    options = MnnBinaryInt8Options("ADD")
    a, b, y = int8(2, 0.5), int8(1, 0.5), int8(2, 1.0)
    assert binary(a, b, y, options, [1, -1], [0]) == [1, -1]


def test_the_output_stays_in_its_range() -> None:
    options = MnnBinaryInt8Options("ADD", -100, 110)
    one = int8(2, 1.0)
    assert binary(one, one, one, options, [100, -90], [100, -90]) == [110, -100]


@pytest.mark.parametrize(("unscaled", "wanted"), [(False, 1), (True, 0)])
def test_maximum_without_a_scale_cuts_scales_off_to_multiples_of_a_65536th(
    unscaled: bool, wanted: int
) -> None:
    # 0.1 is 6553.6 / 65536: five of them are a half, or just less.
    options = MnnBinaryInt8Options("MAXIMUM", unscaled=unscaled)
    assert binary(int8(1, 0.1), int8(1, 0.1), int8(1, 1.0), options, [5], [0]) == [wanted]
