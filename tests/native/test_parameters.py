"""What ``prepare`` computes in C of many numbers at once is what the functions in Python say."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from arenite.formats.flatbuffer.schema import DTYPES
from arenite.model import ModelBuilder, Quantization
from arenite.numeric import fixedpoint, gemmlowp, lut
from arenite.ops.context import params_of
from arenite.ops.shared import byte_tables, sigmoid, softmax
from arenite.ops.tflite import elu, hard_swish, leaky_relu
from arenite.ops.tflite.hard_swish import HardSwishOptions
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from arenite.runtime.interpreter import Interpreter
from tests.native.arrays import every_other

pytest.importorskip("arenite.native._engine")

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


@pytest.mark.parametrize("is_tanh", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_tables_of_sigmoids(is_tanh: bool, seed: int) -> None:
    for case in sigmoid_cases(seed):
        found = parameters.activation_table("sigmoid", is_tanh, *case)
        assert np.array_equal(found, sigmoid.in_numpy(is_tanh, *case)), case


@pytest.mark.parametrize("is_tanh", [False, True])
@pytest.mark.parametrize("zero_point", [-(2**31), -129, 128, 2**31 - 1])
@pytest.mark.parametrize(("radius", "shift"), [(15 << 27, 0), (1, 30), (0, 60)])
def test_tables_of_sigmoids_at_their_ends(
    is_tanh: bool, zero_point: int, radius: int, shift: int
) -> None:
    for multiplier in (1 << 30, 2**31 - 128):
        case = (is_tanh, zero_point, radius, multiplier, shift)
        found = parameters.activation_table("sigmoid", *case)
        assert np.array_equal(found, sigmoid.in_numpy(*case))


def table_cases(function: str, seed: int, count: int = 300) -> list[tuple[float, ...]]:
    """Zero points, mostly of int8, and multipliers and shifts, or scales, of all sizes."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-128, 128, (count, 2))
    points[::10] = rng.integers(-(2**20) + 1, 2**20, points[::10].shape)
    if function == "elu":
        scales = np.exp2(rng.uniform(-14, 6, (count, 2))).astype(np.float32)
        columns = (scales[:, 0], points[:, 0], scales[:, 1], points[:, 1])
    elif function == "hard_swish":
        high = rng.integers(1 << 14, 1 << 15, (2, count))
        columns = (*points.T, high[0], rng.integers(-31, 32, count), high[1])
        columns += (-rng.integers(0, 20, count),)
    else:
        high = rng.integers(1 << 30, 1 << 31, (2, count)) * rng.choice([1, 1, -1], (2, 1))
        once = fixedpoint.ONCE * rng.integers(0, 2, count)
        shifts = rng.integers(-31, 31, (2, count)) + once
        columns = (*points.T, high[0], shifts[0], abs(high[1]), shifts[1])
    return list(zip(*(column.tolist() for column in columns), strict=True))


FUNCTIONS = {"elu": elu.table, "hard_swish": hard_swish.in_numpy, "leaky_relu": leaky_relu.in_numpy}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_tables_of_activations(function: str, seed: int) -> None:
    cases = table_cases(function, seed)
    found = {case: parameters.activation_table(function, *case) for case in cases}
    made = {case: table for case, table in found.items() if table is not None}
    assert len(made) >= len(found) - 2  # exponentials halfway between floats are NumPy's
    for case, table in made.items():
        assert np.array_equal(table, FUNCTIONS[function](*case)), case


@pytest.mark.parametrize(
    ("function", "case"),
    [
        ("elu", (0.1, 0, 0.0, 0)),
        ("elu", (np.inf, 0, 0.1, 0)),
        ("elu", (np.nan, 0, 0.1, 0)),
        ("elu", (1e20, 0, 1e-5, 0)),
        ("elu", (0.1, 1 << 20, 0.1, 0)),
        ("hard_swish", (0, 0, -1, 0, 1, 0)),
        ("hard_swish", (0, 0, 1, 0, 1 << 15, 0)),
        ("hard_swish", (0, 0, 1, 32, 1, 0)),
        ("hard_swish", (0, 0, 1, 0, 1, 1)),
        ("leaky_relu", (1 << 20, 0, 1, 0, 1, 0)),
        ("leaky_relu", (0, 0, -(2**31), 0, 1, 0)),
        ("leaky_relu", (0, 0, 1, 32, 1, 0)),
        ("leaky_relu", (0, 0, 1, 0, 1, 400)),
    ],
)
def test_numbers_that_c_does_not_define_are_left_to_numpy(
    function: str, case: tuple[float, ...]
) -> None:
    assert parameters.activation_table(function, *case) is None


def test_a_table_of_a_scale_is_made_once() -> None:
    case = (False, 3, softmax.input_radius(4, 22), 1234567890, 22)
    made = [byte_tables.table_of("sigmoid", sigmoid.in_numpy, *case) for _ in range(2)]
    assert made[0] is made[1]
    assert not made[0].flags.writeable


OPTIONS = {"HARD_SWISH": HardSwishOptions(), "LEAKY_RELU": LeakyReluOptions(0.1)}


@pytest.mark.parametrize("name", ["LOGISTIC", "ELU", *OPTIONS])
def test_a_load_makes_its_tables_in_c(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    numpys: list[object] = []
    monkeypatch.setattr(lut, "table_int8", numpys.append)
    monkeypatch.setattr(elu, "table", lambda *_: numpys.append(name))
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=0.0987654321, zero_point=5)
    y = b.tensor("y", (1, 4), "int8", scale=1 / 256, zero_point=-128)
    b.operator(name, [x], [y], OPTIONS.get(name))
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
