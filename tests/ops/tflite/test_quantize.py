"""QUANTIZE equals TFLM for every pair of types, scale and zero point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder, TensorType
from arenite.ops.tflite.quantize import PAIRS, round_to_int32
from tests.ops.differential import agrees, differential, equals_tflm, one_operator, run_arenite
from tests.oracle import Oracle

ALL_PAIRS = [(source, target) for source, targets in PAIRS.items() for target in targets]
FLOAT_CORNERS = np.array(
    [0.0, -0.0, 0.25, -0.75, 1e-45, 1e9, -2e9, 3e9, 3e38, -3e38, np.inf, -np.inf, np.nan],
    np.float32,
)


def model(
    source: TensorType,
    target: TensorType,
    shape: tuple[int, ...] = (4,),
    quantization: tuple[float, int, float, int] = (1.0, 0, 1.0, 0),
) -> Model:
    """One QUANTIZE; ``quantization`` is input scale, zero point, output scale, zero point."""
    input_scale, input_zero, scale, zero = quantization
    b = ModelBuilder()
    if source is TensorType.FLOAT32:
        x = b.input("x", shape, source)
    else:
        x = b.input("x", shape, source, scale=input_scale, zero_point=input_zero)
    y = b.tensor("y", shape, target, scale=scale, zero_point=zero)
    return one_operator(b, "QUANTIZE", [x], [y])


def zero_points(type_: TensorType) -> st.SearchStrategy[int]:
    if type_ is TensorType.FLOAT32:
        return st.just(0)
    info = np.iinfo(type_.dtype)
    low, high = max(info.min, -40000), min(info.max, 40000)
    return st.sampled_from([0, 0, low, high]) | st.integers(low, high)


def scales() -> st.SearchStrategy[float]:
    powers = st.integers(-12, 6).map(lambda n: 2.0**n)
    return st.floats(-6, 3).map(lambda n: 10.0**n) | powers | st.just(1.0)


@st.composite
def models(draw: st.DrawFn) -> Model:
    source, target = draw(st.sampled_from(ALL_PAIRS))
    shape = tuple(draw(st.lists(st.integers(1, 7), max_size=4)))
    scale = draw(scales())
    input_scale = draw(st.just(scale) | scales())
    quantization = (input_scale, draw(zero_points(source)), scale, draw(zero_points(target)))
    return model(source, target, shape, quantization)


test_equals_tflm = equals_tflm(models())


@differential
@given(
    target=st.sampled_from(PAIRS[TensorType.FLOAT32]),
    scale=scales(),
    zero=st.sampled_from([0, 5, -5, 127, -128]),
    seed=st.integers(0, 2**32 - 1),
)
def test_equals_tflm_at_halves_nan_and_beyond_int32(
    oracle: Oracle, target: TensorType, scale: float, zero: int, seed: int
) -> None:
    halves = np.random.default_rng(seed).integers(-600, 600, 40) / 2
    x = np.concatenate([FLOAT_CORNERS, (halves * scale).astype(np.float32)])
    quantized = model(TensorType.FLOAT32, target, x.shape, (0.0, 0, scale, zero))
    agrees(oracle, quantized, seed, inputs=[x])


def quantized(
    source: TensorType, target: TensorType, values: list[float], *quantization: float
) -> list[int]:
    x = np.array(values, source.dtype)
    one = model(source, target, x.shape, quantization)  # type: ignore[arg-type]
    return [int(value) for value in run_arenite(one, [[x]])[0][0]]


def test_halves_are_rounded_away_from_zero() -> None:
    values = [0.25, 0.75, -0.25, -0.75]
    assert quantized(TensorType.FLOAT32, TensorType.INT8, values, 0, 0, 0.5, 3) == [4, 5, 2, 1]


def test_the_largest_float_below_a_half_is_rounded_to_zero() -> None:
    assert round_to_int32(np.array([0.49999997, -0.49999997], np.float32)).tolist() == [0, 0]


def test_a_scalar_is_quantised() -> None:
    one = model(TensorType.FLOAT32, TensorType.INT8, ())
    assert run_arenite(one, [[np.float32(np.nan)]])[0][0] == -128


def test_values_saturate() -> None:
    values = [200, -200, 127.4, -128.4]
    expected = [127, -128, 127, -128]
    assert quantized(TensorType.FLOAT32, TensorType.INT8, values, 0, 0, 1, 0) == expected


def test_what_int32_cannot_hold_becomes_its_minimum_before_the_zero_point_is_added() -> None:
    values = [3e9, np.nan, np.inf, -np.inf]
    assert quantized(TensorType.FLOAT32, TensorType.INT8, values, 0, 0, 1, 0) == [-128] * 4
    assert quantized(TensorType.FLOAT32, TensorType.INT8, values, 0, 0, 1, -1) == [127] * 4


def test_int8_becomes_uint8_of_the_same_scale_by_a_shift_of_128() -> None:
    values = [-128, -1, 0, 127]
    expected = [0, 127, 128, 255]
    assert quantized(TensorType.INT8, TensorType.UINT8, values, 0.3, 0, 0.3, 128) == expected


def test_integers_are_rescaled_by_the_ratio_of_the_scales_halves_upwards() -> None:
    values = [2, 3, -3, 1000]
    expected = [1, 2, -1, 127]
    assert quantized(TensorType.INT16, TensorType.INT8, values, 0.5, 0, 1.0, 0) == expected


def test_a_pair_of_types_that_tflm_lacks_is_refused() -> None:
    with pytest.raises(ConstraintError, match="From float32 or int32 the output is int8 or int16"):
        run_arenite(model(TensorType.FLOAT32, TensorType.UINT8), [])


def test_an_output_of_several_scales_is_refused() -> None:
    with pytest.raises(ConstraintError, match="exactly one quantisation scale"):
        run_arenite(model(TensorType.INT8, TensorType.INT8, (2,), (1.0, 0, [0.5, 0.25], 0)), [])


def test_a_ratio_of_scales_beyond_the_fixed_point_range_is_refused() -> None:
    with pytest.raises(ConstraintError, match=r"input / output must be under 2\*\*30"):
        run_arenite(model(TensorType.INT8, TensorType.INT8, (2,), (1e6, 0, 1e-6, 0)), [])
