"""The fast last step of a kernel gives the bits of its definition, and knows where it may."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.numeric.fixedpoint import (
    ONCE,
    bare_shift,
    multiply_by_quantized_multiplier,
    multiply_by_quantized_multiplier_int64,
    quantize_multiplier,
)
from arenite.ops.shared.requantize import FloatStage, OutputStage, Requantizer, tile
from tests.ops.differential import CASES

Array = np.ndarray[Any, Any]
INT8 = np.dtype(np.int8)
INT16 = np.dtype(np.int16)


def stage_of(
    real: float,
    *,
    bias: int = 0,
    zero_point: int = 0,
    low: int = -128,
    high: int = 127,
    wide: bool = False,
) -> OutputStage:
    """One channel with a real multiplier."""
    multiplier, shift = quantize_multiplier(real)
    return OutputStage(
        multiplier=np.array([multiplier], np.int32),
        shift=np.array([shift], np.int32),
        bias=np.array([bias], np.int64),
        zero_point=zero_point,
        low=low,
        high=high,
        wide=wide,
    )


def outputs(stage: OutputStage, acc: Array, bound: float, dtype: np.dtype[Any] = INT8) -> Array:
    """What the fast way makes of accumulators of one channel."""
    out = np.empty(acc.shape, dtype)
    Requantizer(stage, np.array([bound]), len(acc), dtype)(acc, out)
    return out


def test_reference_is_the_formula() -> None:
    """clamp(zero_point + (a + bias) * multiplier * 2**(shift - 31))"""
    stage = stage_of(0.25, bias=100, zero_point=3, low=0, high=50)
    acc = np.array([[-100], [-60], [0], [100], [1000]])
    assert stage.reference(acc).ravel().tolist() == [3, 13, 28, 50, 50]


@pytest.mark.parametrize("zero_point", [-128, -1, 0, 127])
def test_halves_round_away_from_zero_on_both_sides(zero_point: int) -> None:
    stage = stage_of(0.25, zero_point=zero_point)
    acc = np.array([[-6], [-2], [2], [6]])
    expected = np.clip(zero_point + np.array([-2, -1, 1, 2]), -128, 127)
    assert outputs(stage, acc, 1000).ravel().tolist() == expected.tolist()


def test_first_rounding_comes_before_the_second() -> None:
    """Just under a half, lifted over it by the doubling high multiply."""
    stage = OutputStage(
        multiplier=np.array([2**30 + 1], np.int32),
        shift=np.array([-2], np.int32),
        bias=np.zeros(1, np.int64),
        zero_point=0,
        low=-128,
        high=127,
    )
    acc = np.arange(-100, 100).reshape(-1, 1)
    expected = multiply_by_quantized_multiplier(acc, 2**30 + 1, -2)
    assert outputs(stage, acc, 100).tolist() == expected.tolist()
    assert expected.ravel().tolist() != np.rint(acc / 8).astype(int).ravel().tolist()


@st.composite
def stages(draw: st.DrawFn) -> tuple[OutputStage, Array, np.dtype[Any]]:
    """A stage of several channels, the bounds of their accumulators, and an output type."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    channels = draw(st.integers(1, 6))
    wide = draw(st.booleans())
    dtype = INT16 if wide else draw(st.sampled_from([INT8, INT8, INT16]))
    limits = np.iinfo(dtype)
    bound = np.floor(2.0 ** rng.uniform(3, 44 if wide else 24, channels))
    # Mostly multipliers for which outputs vary within their limits.
    fitting = limits.max / bound * 2.0 ** rng.uniform(-4, 4, channels)
    extreme = 2.0 ** rng.uniform(-31, 13 if wide else 30, channels)
    reals = np.where(rng.random(channels) < 0.8, np.minimum(fitting, 2.0**13), extreme)
    reals[rng.random(channels) < 0.05] = 0.0
    pairs = [quantize_multiplier(real) for real in reals]
    rounding = draw(st.sampled_from([0, 0, ONCE]))
    size = bound * rng.choice([0, 0, 0.5, 0.5, 2, 1000], channels)
    bias = rng.uniform(-size, size).astype(np.int64)
    zero_point = int(rng.choice([limits.min, limits.max, 0, rng.integers(limits.min, limits.max)]))
    low, high = sorted(int(n) for n in rng.integers(limits.min, limits.max, 2, endpoint=True))
    near = max(limits.min, zero_point - draw(st.integers(1, 4)))
    low = draw(st.sampled_from([limits.min, limits.min, zero_point, near, low]))
    high = draw(st.sampled_from([limits.max, limits.max, max(low, high)]))
    stage = OutputStage(
        multiplier=np.array([m for m, _ in pairs], np.int32),
        shift=np.array([s + rounding for _, s in pairs], np.int32),
        bias=bias,
        zero_point=zero_point,
        low=low,
        high=high,
        wide=wide,
    )
    return stage, bound, dtype


def telling_accumulators(stage: OutputStage, bound: Array, dtype: np.dtype[Any]) -> Array:
    """Random ones, the ends, zero, and those around the edges between two outputs."""
    rng = np.random.default_rng(int(bound.sum()) % 2**32)
    channels = len(bound)
    limits = np.iinfo(dtype)
    real = stage.multiplier * 2.0 ** (bare_shift(stage.shift) - 31.0)
    targets = rng.integers(limits.min - 2, limits.max + 2, (300, channels)) - stage.zero_point
    with np.errstate(divide="ignore", invalid="ignore"):
        edges = (targets - 0.5) / real - stage.bias
    edges = np.nan_to_num(np.clip(edges, -bound, bound))
    near = np.floor(edges) + rng.integers(-2, 3, edges.shape)
    acc = np.concatenate(
        [near, rng.uniform(-bound, bound, (100, channels)), [-bound, bound, -stage.bias]]
    )
    return np.clip(np.rint(acc), -bound, bound)


@settings(max_examples=20 * CASES, deadline=None, derandomize=CASES <= 50)
@given(case=stages())
def test_fast_way_equals_the_reference(case: tuple[OutputStage, Array, np.dtype[Any]]) -> None:
    stage, bound, dtype = case
    acc = telling_accumulators(stage, bound, dtype)
    out = np.empty(acc.shape, dtype)
    Requantizer(stage, bound, len(acc), dtype)(acc, out)
    np.testing.assert_array_equal(out, stage.reference(acc))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), wide=st.booleans())
def test_reference_equals_fixedpoint(seed: int, wide: bool) -> None:
    rng = np.random.default_rng(seed)
    acc = rng.integers(-(2**31), 2**31, (50, 1))
    stage = stage_of(2.0 ** rng.uniform(-20, 10), low=-(2**31), high=2**31 - 1, wide=wide)
    multiply = multiply_by_quantized_multiplier_int64 if wide else multiply_by_quantized_multiplier
    expected = multiply(acc, stage.multiplier, stage.shift)
    np.testing.assert_array_equal(stage.reference(acc), expected)


def is_fast(stage: OutputStage, bound: float, dtype: np.dtype[Any] = INT8) -> bool:
    """Whether the fast way is proven for a stage of one channel."""
    return Requantizer(stage, np.array([bound]), 1, dtype)._exact is not None


def test_layers_of_usual_size_take_the_fast_way() -> None:
    """3 x 3 x 64 int8 weights of magnitude 40, sums scaled to int8."""
    assert is_fast(stage_of(0.001, bias=2000, zero_point=-4), 128 * 576 * 40)
    assert is_fast(stage_of(0.0005, low=-32768, high=32767, wide=True), 32768 * 576 * 40, INT16)


def test_a_channel_that_never_varies_takes_the_fast_way() -> None:
    """As converters leave it: tiny weights, and a bias that makes the constant."""
    assert is_fast(stage_of(2.0**-27, bias=2**30), 128 * 576)


@pytest.mark.parametrize(
    ("stage", "bound"),
    [
        (stage_of(0.001), 2.0**31),  # wraps
        (stage_of(2.0**20), 2.0**12),  # wraps after the shift to the left
        (stage_of(2.0**-20, bias=2**26), 2.0**24),  # needs more than 53 bits
        (stage_of(0.001, low=-300, high=-200), 1000.0),  # no int8 values
    ],
)
def test_what_is_not_proven_takes_the_slow_way(stage: OutputStage, bound: float) -> None:
    assert not is_fast(stage, bound)
    acc = np.linspace(-bound, bound, 64).round().reshape(-1, 1)
    expected = stage.reference(acc).astype(np.int8)
    np.testing.assert_array_equal(outputs(stage, acc, bound), expected)


def test_a_result_just_under_an_integer_needs_more_bits_than_a_float_has() -> None:
    """With its roundings the product is 3 * 2**49 - 1: 128 more, and float64 says 131."""
    stage = OutputStage(
        multiplier=np.array([1340617749], np.int32),
        shift=np.array([-18], np.int32),
        bias=np.zeros(1, np.int64),
        zero_point=0,
        low=-128,
        high=127,
    )
    acc = np.array([[1049795]])
    assert not is_fast(stage, 2.0**21)
    assert outputs(stage, acc, 2.0**21).item() == 2


def test_one_unproven_channel_leaves_the_others_fast() -> None:
    pairs = [quantize_multiplier(real) for real in (0.01, 2.0**-20, 0.02)]
    stage = OutputStage(
        multiplier=np.array([m for m, _ in pairs], np.int32),
        shift=np.array([s for _, s in pairs], np.int32),
        bias=np.array([0, 2**26, 5]),
        zero_point=-7,
        low=-128,
        high=127,
    )
    requantizer = Requantizer(stage, np.array([5e3, 2.0**24, 5e3]), 40, INT8)
    assert requantizer._others.tolist() == [1]
    acc = np.random.default_rng(0).integers(-5000, 5000, (40, 3))
    out = np.empty((40, 3), np.int8)
    requantizer(acc, out)
    np.testing.assert_array_equal(out, stage.reference(acc))


def test_output_may_be_a_slice_of_channels() -> None:
    stage = stage_of(0.5)
    out = np.zeros((4, 3), np.int8)
    Requantizer(stage, np.array([100.0]), 4, INT8)(np.full((4, 1), 10), out[:, 1:2])
    assert out.tolist() == [[0, 5, 0]] * 4


def test_floats_are_clamped_and_keep_their_nans() -> None:
    acc = np.array([[-5.0, 1.0, np.nan]])
    out = np.empty((1, 3), np.float32)
    FloatStage(np.array([1.0, 1.0, 1.0]), 0.0, 6.0)(acc, out)
    np.testing.assert_array_equal(out, [[0.0, 2.0, np.nan]])


@pytest.mark.parametrize(
    ("rows", "channels", "expected"), [(2304, 16, 64), (7, 16, 7), (127, 100, 1), (6, 5000, 1)]
)
def test_tile_divides_the_rows(rows: int, channels: int, expected: int) -> None:
    assert tile(rows, channels) == expected
    assert rows % expected == 0
