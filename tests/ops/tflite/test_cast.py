"""CAST equals TFLM for every pair of types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder, TensorType
from arenite.ops.tflite.cast import TYPES, CastOptions
from tests.ops.differential import agrees, differential, one_operator, random_array, run_arenite
from tests.oracle import Oracle

FLOAT_CORNERS = np.array(
    [
        *(0.0, -0.0, 0.9, -0.9, 1e-45, 127.9, -128.9, 255.5, 3e4, 4e4, 7e4, 2147483520.0),
        *(2147483648.0, -2147483648.0, 3e9, 4294967040.0, 5e9, -5e9, 3e38),
        *(np.inf, -np.inf, np.nan),
    ],
    np.float32,
)


def model(source: TensorType, target: TensorType, shape: tuple[int, ...]) -> Model:
    b = ModelBuilder()
    x = b.input("x", shape, source)
    y = b.tensor("y", shape, target)
    return one_operator(b, "CAST", [x], [y], CastOptions(in_data_type=source, out_data_type=target))


@differential
@given(
    source=st.sampled_from(TYPES),
    target=st.sampled_from(TYPES),
    shape=st.lists(st.integers(1, 6), max_size=5),
    seed=st.integers(0, 2**32 - 1),
)
def test_equals_tflm(
    oracle: Oracle, source: TensorType, target: TensorType, shape: list[int], seed: int
) -> None:
    one = model(source, target, tuple(shape))
    rng = np.random.default_rng(seed)
    x = random_array(one.inputs[0], rng)
    if source is TensorType.FLOAT32:
        x = np.where(rng.random(x.shape) < 0.5, rng.choice(FLOAT_CORNERS, x.shape), x * 1000)
    agrees(oracle, one, seed, inputs=[x.astype(source.dtype)])


@pytest.mark.parametrize("target", TYPES, ids=str)
def test_equals_tflm_at_the_corners_of_float32(oracle: Oracle, target: TensorType) -> None:
    agrees(
        oracle, model(TensorType.FLOAT32, target, FLOAT_CORNERS.shape), 0, inputs=[FLOAT_CORNERS]
    )


def cast(x: np.ndarray, target: TensorType) -> list[float]:
    one = model(TensorType.of(x.dtype), target, x.shape)
    return run_arenite(one, [[x]])[0][0].tolist()


def test_floats_lose_their_fraction() -> None:
    assert cast(np.array([1.9, -1.9], np.float32), TensorType.INT8) == [1, -1]


def test_floats_saturate_and_nan_is_zero() -> None:
    x = np.array([300, -np.inf, np.nan, -1], np.float32)
    assert cast(x, TensorType.INT8) == [127, -128, 0, -1]
    assert cast(x, TensorType.UINT32) == [300, 0, 0, 0]


def test_integers_wrap() -> None:
    assert cast(np.array([128, 256, -129], np.int32), TensorType.INT8) == [-128, 0, 127]
    assert cast(np.array([-1], np.int8), TensorType.UINT32) == [2**32 - 1]


def test_everything_but_zero_is_true() -> None:
    x = np.array([0.0, -0.0, 1e-45, 256, np.nan], np.float32)
    assert cast(x, TensorType.BOOL) == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (TensorType.UINT8, TensorType.INT8, "Input 0 is one of"),
        (TensorType.INT8, TensorType.INT64, "Output 0 is one of"),
    ],
)
def test_other_types_are_refused(source: TensorType, target: TensorType, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        run_arenite(model(source, target, (2,)), [])
