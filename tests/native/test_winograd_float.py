"""3x3 convolutions of floats, which may be computed at points: as near as a plain sum, in range
and out of it."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array, Model, ModelBuilder
from arenite.native.program import available_isas
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.native.convolutions import outputs

SAME, VALID, RELU6 = 0, 1, 3
#: Rows, columns, channels, filters: whole tiles and halves of them, whole registers and parts.
SHAPES = [(8, 8, 16, 16), (9, 7, 24, 40), (5, 12, 8, 16), (4, 4, 33, 15), (32, 3, 64, 7)]


def convolution(x: Array, weights: Array, padding: int, activation: int = 0) -> Model:
    b = ModelBuilder()
    edge = 2 * padding
    bias = np.linspace(-1, 1, len(weights)).astype(np.float32)
    inputs = [b.input("x", x.shape, "float32"), b.constant("w", weights), b.constant("b", bias)]
    shape = (x.shape[0], x.shape[1] - edge, x.shape[2] - edge, len(weights))
    y = b.tensor("y", shape, "float32")
    options = Conv2DOptions(padding, 1, 1, fused_activation_function=activation)
    b.operator("CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


def case(shape: tuple[int, ...], batches: int = 1, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    rows, columns, depth, filters = shape
    x = rng.normal(size=(batches, rows, columns, depth)).astype(np.float32)
    return x, rng.normal(size=(filters, 3, 3, depth)).astype(np.float32)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("shape", SHAPES)
def test_are_near_the_reference(shape: tuple[int, ...], padding: int, isa: str) -> None:
    x, weights = case(shape, batches=2)
    y, expected = outputs(isa, x, convolution(x, weights, padding))
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("isa", available_isas())
def test_stay_within_their_activation(isa: str) -> None:
    x, weights = case(SHAPES[1])
    y, expected = outputs(isa, x, convolution(x, weights, SAME, RELU6))
    assert (y.min(), y.max()) == (0, 6)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5 * 6)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("place", [(0, 0), (3, 4), (8, 6)])
def test_what_is_no_number_reaches_its_windows_alone(
    place: tuple[int, int], value: float, isa: str
) -> None:
    x, weights = case(SHAPES[1])
    x[0, place[0], place[1], 5] = value
    y, expected = outputs(isa, x, convolution(x, weights, SAME))
    met = np.zeros(expected.shape[1:3], bool)
    met[max(place[0] - 1, 0) : place[0] + 2, max(place[1] - 1, 0) : place[1] + 2] = True
    np.testing.assert_array_equal(y[0][met], expected[0][met])
    rest = expected[0][~met]
    np.testing.assert_allclose(y[0][~met], rest, rtol=0, atol=2e-6 * np.abs(rest).max())


@pytest.mark.parametrize("isa", available_isas())
def test_inputs_whose_sums_leave_float32(isa: str) -> None:
    x, weights = case(SHAPES[1])
    x[0, 3:5, 4:6, 5] = 3e38
    weights *= 1e-3
    y, expected = outputs(isa, x, convolution(x, weights, SAME))
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("weight", [np.inf, np.nan, 3e38])
def test_weights_beyond_sums(weight: float, isa: str) -> None:
    x, weights = case(SHAPES[0])
    weights[3, :, :, 2] = weight
    x[0, :, :, 2] = 0.25
    y, expected = outputs(isa, x, convolution(x, weights, VALID))
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    finite = np.abs(expected) < 1e6
    np.testing.assert_allclose(y[finite], expected[finite], rtol=0, atol=1e-5 * 100)
    np.testing.assert_allclose(y[~finite], expected[~finite], rtol=1e-5)


@pytest.mark.parametrize("isa", available_isas())
def test_a_nan_takes_no_inference_to_the_reference(isa: str) -> None:
    """It takes five times as long, and a NaN stays where it belongs at the points as well."""
    x, weights = case(SHAPES[0])
    x[0, 3, 4, 5] = np.nan
    heap = HeapInterpreter(convolution(x, weights, SAME, RELU6))
    heap.allocate_tensors()
    heap.input(0)[...] = x
    assert heap.compile(isa).program.run(0, 1) == 1
