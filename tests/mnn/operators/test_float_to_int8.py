"""MNN_FLOAT_TO_INT8: real numbers become int8."""

import numpy as np

from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from tests.mnn.operator_models import Fed, outputs_of, single


def quantized(options: MnnFloatToInt8Options, *x: float) -> list[int]:
    """The int8 numbers of a vector."""
    vector = Fed((len(x),)), Fed((len(x),), "int8")
    (y,) = outputs_of(single("FLOAT_TO_INT8", vector[:1], vector[1], options), np.float32(x))
    return [int(n) for n in y]


def test_a_factor_and_a_zero_point() -> None:
    assert quantized(MnnFloatToInt8Options((10.0,), 3.0), 0, 0.5, -1) == [3, 8, -7]


def test_halves_go_away_from_zero() -> None:
    assert quantized(MnnFloatToInt8Options((1.0,)), 0.5, -0.5, 1.5, -2.5) == [1, -1, 2, -3]


def test_the_zero_point_counts_before_rounding() -> None:
    assert quantized(MnnFloatToInt8Options((1.0,), 1.0), -1.5, -0.5) == [-1, 1]


def test_every_channel_may_have_its_factor() -> None:
    assert quantized(MnnFloatToInt8Options((10.0, 2.0)), 1.5, 1.5) == [15, 3]


def test_what_is_out_of_range_becomes_its_end() -> None:
    assert quantized(MnnFloatToInt8Options((1.0,), 0.0, -100, 90), 300, -np.inf) == [90, -100]


def test_what_is_no_number_becomes_the_upper_end() -> None:
    assert quantized(MnnFloatToInt8Options((1.0,), 0.0, -100, 90), np.nan) == [90]
