"""What ``prepare`` computes in C of many numbers at once is what the functions in Python say."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arenite.formats.flatbuffer.schema import DTYPES
from arenite.model import Quantization, Tensor, TensorType
from arenite.numeric import fixedpoint, gemmlowp
from arenite.ops.context import params_of
from arenite.ops.shared import softmax

parameters = pytest.importorskip("arenite.native.parameters")


def in_numpy(before: float, scales: np.ndarray, behind: float) -> tuple[np.ndarray, np.ndarray]:
    return fixedpoint.quantize_multipliers(before * scales.astype(np.float64) / behind)


@pytest.mark.parametrize("seed", range(20))
def test_multipliers_of_random_scales(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scales = np.exp2(rng.uniform(-12, 12, 500)).astype(np.float32)
    before, behind = np.exp2(rng.uniform(-8, 8, 2)).tolist()
    found = parameters.quantize_multipliers(before, scales, behind, rounding=0, channels=500)
    assert np.array_equal(found, in_numpy(before, scales, behind))


def test_a_fraction_that_rounds_up_to_one_carries_into_the_shift() -> None:
    ratio = 1 - 2.0**-53
    found = parameters.quantize_multipliers(
        ratio, np.ones(1, np.float32), 1.0, rounding=0, channels=1
    )
    assert np.array_equal(found, [[1 << 30], [1]])


def test_one_scale_is_that_of_all_channels() -> None:
    scale = np.array([0.5], np.float32)
    found = parameters.quantize_multipliers(1.0, scale, 4.0, rounding=0, channels=3)
    assert np.array_equal(found, [[1 << 30] * 3, [-2] * 3])


def test_rounding_comes_on_top_of_shifts() -> None:
    scale = np.array([0.5], np.float32)
    _, shift = parameters.quantize_multipliers(
        1.0, scale, 4.0, rounding=fixedpoint.ONCE, channels=1
    )
    assert shift == fixedpoint.ONCE - 2


def test_scales_may_lie_anywhere() -> None:
    scales = np.frombuffer(b"\0" + np.array([0.5, 2], np.float32).tobytes(), np.uint8)[1:]
    found = parameters.quantize_multipliers(
        1.0, scales.view(np.float32), 1.0, rounding=0, channels=2
    )
    assert np.array_equal(found, [[1 << 30] * 2, [0, 2]])


@pytest.mark.parametrize(
    "ratio",
    [-0.5, -0.0, np.nan, np.inf, 2.0**30, 2.0**30 - 2.0**-23, -1e-300, -np.inf],
)
def test_what_is_not_plain_is_left_to_numpy(ratio: float) -> None:
    scales = np.array([1, 1], np.float32)
    assert parameters.quantize_multipliers(ratio, scales, 1.0, rounding=0, channels=2) is None


@pytest.mark.parametrize("ratio", [0.0, 5e-324, 1e-300, 2.0**-33, np.nextafter(2.0**-32, 0)])
def test_ratios_that_are_too_small_are_zero(ratio: float) -> None:
    scales = np.array([1, 2.0**32], np.float32)
    found = parameters.quantize_multipliers(
        ratio, scales, 1.0, rounding=fixedpoint.ONCE, channels=2
    )
    multiplier, shift = in_numpy(ratio, scales, 1.0)
    assert np.array_equal(found, [multiplier, shift + fixedpoint.ONCE])


@pytest.mark.parametrize("ratio", [2.0**-32, 2.0**30 - 1])
def test_the_smallest_and_a_large_plain_ratio(ratio: float) -> None:
    ones = np.ones(1, np.float32)
    found = parameters.quantize_multipliers(ratio, ones, 1.0, rounding=0, channels=1)
    assert np.array_equal(found, in_numpy(ratio, ones, 1.0))


def test_a_scale_of_nothing_is_left_to_numpy() -> None:
    ones = np.ones(1, np.float32)
    assert parameters.quantize_multipliers(1.0, ones, 0.0, rounding=0, channels=1) is None


@pytest.mark.parametrize("left_shift", [0, 1, 8, 19, 20, 21, 23, 25, 26, 27, 29, 30])
@pytest.mark.parametrize("multiplier", [1 << 30, 1234567890, (1 << 31) - 1])
def test_the_table_of_exponentials(multiplier: int, left_shift: int) -> None:
    scaled = softmax.scaled_differences(multiplier, left_shift)
    found = parameters.difference_table(multiplier, left_shift, len(scaled))
    expected = gemmlowp.exp_on_negative_values(scaled, softmax.DIFFERENCE_BITS)
    assert np.array_equal(found[: len(scaled)], expected)
    assert not found[len(scaled) :].any()


def quantized(type_: str, scale: Any, zero_point: Any, **changes: Any) -> tuple[Tensor, ...]:
    """A tensor of four elements with these scales and zero points."""
    quantization = Quantization(scale, zero_point, changes.pop("axis", 0))
    return (Tensor("x", TensorType[type_], (1, 4), None, quantization, **changes),)


def reals(*values: float) -> Any:
    return np.array(values, np.float32)


def longs(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("type_", "least", "greatest"),
    [
        ("INT8", -128, 127),
        ("UINT8", 0, 255),
        ("INT16", -(2**15), 2**15 - 1),
        ("INT4", -8, 7),
        ("INT32", -(2**31), 2**31 - 1),
    ],
)
def test_zero_points_lie_in_the_range_of_the_type(type_: str, least: int, greatest: int) -> None:
    scales = reals(0, 3)
    assert parameters.are_plain(quantized(type_, scales, longs(least, greatest)))
    for value in (least - 1, greatest + 1):
        assert not parameters.are_plain(quantized(type_, scales, longs(0, value)))


def test_tensors_as_most_are() -> None:
    (tensor,) = quantized("INT8", reals(0.5, 2), longs(3))
    assert parameters.are_plain(())
    assert parameters.are_plain((replace(tensor, shape=()), tensor))
    assert parameters.are_plain((replace(tensor, quantization=None),))
    assert parameters.are_plain(quantized("INT8", reals(), longs(), axis=31))
    assert parameters.are_plain((replace(tensor, shape=(1,) * 32),))
    assert parameters.are_plain((replace(tensor, data=np.zeros(4, np.uint8)),))
    packed = replace(tensor, type=TensorType.INT4, shape=(9,))
    assert parameters.are_plain((replace(packed, data=np.zeros(5, np.uint8)),))
    assert not parameters.are_plain((replace(packed, data=np.zeros(4, np.uint8)),))


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (1, 0)},
        {"shape": (-1, 4)},
        {"shape": (1,) * 33},
        {"shape": (2**16, 2**15)},
        {"shape": (2**31,)},
        {"shape": (2**63,)},
        {"shape": (2**62, 4)},
        {"shape": (2**30,), "type": TensorType.INT16},
        {"shape": [1, 4]},
        {"shape": ("4",)},
        {"buffer": -1},
        {"data": np.zeros(3, np.uint8)},
        {"data": np.zeros((4, 1), np.uint8)},
        {"data": b"1234"},
        {"quantization": Quantization(reals(1), longs(0, 0))},
        {"quantization": Quantization(reals(1), longs(0), -1)},
        {"quantization": Quantization(reals(1), longs(0), 32)},
        {"quantization": 1},
        {"type": 99},
    ],
    ids=str,
)
def test_other_tensors_are_left_to_python(changes: Any) -> None:
    (tensor,) = quantized("INT8", reals(0.5, 2), longs(3))
    assert not parameters.are_plain((tensor, replace(tensor, **changes), tensor))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e-45])
def test_what_is_no_scale(value: float) -> None:
    assert not parameters.are_plain(quantized("INT8", reals(1, value), longs(0)))


@pytest.mark.parametrize(
    "array",
    [
        np.ones(2, np.float64),
        np.ones((1, 2), np.float32),
        np.ones(4, np.float32)[::2],
        np.ones(2, ">f4"),
        [1.0],
    ],
)
def test_other_arrays_are_left_to_numpy(array: Any) -> None:
    assert not parameters.are_plain(quantized("INT8", array, longs(0)))
    assert not parameters.are_plain(quantized("INT8", reals(1), array))
    assert parameters.quantize_multipliers(1.0, array, 1.0, rounding=0, channels=2) is None


def test_numbers_of_a_file_are_numpys_own() -> None:
    native = {kind: dtype for kind, dtype in DTYPES.items() if dtype.isnative}
    assert all(dtype is np.dtype(kind) for kind, dtype in native.items())


def quantizations() -> list[Quantization | None]:
    """As files have them, and as nobody would."""
    rng = np.random.default_rng(0)
    scales = rng.uniform(0, 1, 9).astype(np.float32)
    points = rng.integers(-(2**40), 2**40, 9)
    unaligned = np.frombuffer(b"\0" + scales.tobytes(), np.uint8)[1:].view(np.float32)
    counts = itertools.product((0, 1, 9), repeat=2)
    return [
        None,
        *(Quantization(scales[:n], points[:m]) for n, m in counts),
        Quantization(scales[:1], np.array([2**31 - 1])),
        Quantization(scales[:1], np.array([-(2**31)])),
        Quantization(scales.astype(np.float64), points),
        Quantization(scales, points.astype(np.int32)),
        Quantization(scales[::2], points[::-2]),
        Quantization(unaligned, points),
    ]


def test_first_scales_and_zero_points_are_what_python_says() -> None:
    given = quantizations()
    found = parameters.all_params_of(given, params_of)
    assert found == list(map(params_of, given))
    assert found[:2] == [(0.0, 0, 0), (0.0, 0, 0)]
    assert all(type(scale) is float for scale, _, _ in found)


def test_who_has_no_scales_is_an_error() -> None:
    with pytest.raises(AttributeError, match="scale"):
        parameters.all_params_of([None, object()], params_of)
