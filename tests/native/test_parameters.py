"""What ``prepare`` computes in C of many numbers at once is what the functions in Python say."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from arenite.formats.flatbuffer.schema import DTYPES
from arenite.model import ModelBuilder, Quantization
from arenite.numeric import fixedpoint, gemmlowp
from arenite.ops.context import params_of
from arenite.ops.shared import sigmoid, softmax
from arenite.runtime.interpreter import Interpreter
from tests.native.arrays import every_other

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


def sigmoid_cases(seed: int) -> list[tuple[int, int, int, int]]:
    """Zero point, radius, multiplier and shift of random input scales, of all sizes that run."""
    rng = np.random.default_rng(seed)
    scales = np.exp2(rng.uniform(-28, 40, 300)).astype(np.float32)
    usual = rng.uniform(0.001, 0.5, 300).astype(np.float32)
    points = rng.integers(-128, 128, 600).tolist()
    found = []
    for scale, point in zip([*scales.tolist(), *usual.tolist()], points, strict=True):
        fraction, shift = math.frexp(scale * 2**27)
        found.append((point, softmax.input_radius(4, shift), round(fraction * 2**31), shift))
    return found


@pytest.mark.parametrize("function", sorted(sigmoid.FUNCTIONS))
@pytest.mark.parametrize("seed", range(4))
def test_tables_of_sigmoids(function: str, seed: int) -> None:
    for case in sigmoid_cases(seed):
        found = parameters.sigmoid_table(function, *case)
        assert np.array_equal(found, sigmoid._in_numpy(function, *case)), case


@pytest.mark.parametrize("function", sorted(sigmoid.FUNCTIONS))
@pytest.mark.parametrize("zero_point", [-(2**31), -129, 128, 2**31 - 1])
@pytest.mark.parametrize(("radius", "shift"), [(15 << 27, 0), (1, 30), (0, 60)])
def test_tables_of_sigmoids_at_their_ends(
    function: str, zero_point: int, radius: int, shift: int
) -> None:
    for multiplier in (1 << 30, 2**31 - 128):
        case = (zero_point, radius, multiplier, shift)
        found = parameters.sigmoid_table(function, *case)
        assert np.array_equal(found, sigmoid._in_numpy(function, *case))


def test_a_table_of_a_scale_is_made_once() -> None:
    case = ("logistic", 3, softmax.input_radius(4, 22), 1234567890, 22)
    assert sigmoid.table_of(*case) is sigmoid.table_of(*case)
    assert not sigmoid.table_of(*case).flags.writeable


def test_a_load_makes_its_tables_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    numpys: list[str] = []
    monkeypatch.setattr(sigmoid, "_in_numpy", lambda name, *_: numpys.append(name))
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=0.0987654321, zero_point=5)
    y = b.tensor("y", (1, 4), "int8", scale=1 / 256, zero_point=-128)
    b.operator("LOGISTIC", [x], [y])
    b.output(y)
    assert Interpreter(b.build())(np.zeros((1, 4), np.int8)).shape == (1, 4)
    assert not numpys


@every_other
def test_other_arrays_are_left_to_numpy(array: Any) -> None:
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
