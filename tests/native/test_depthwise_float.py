"""3x3 depthwise convolutions of floats, whose border may be left out: as near as a plain sum."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array, Model, ModelBuilder
from arenite.native.program import available_isas
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.native.convolutions import outputs

SAME, VALID, RELU6 = 0, 1, 3
#: Whole registers of every instruction set, some of them, and parts.
CHANNELS = (4, 16, 20, 64)
MOST = 10

each_isa = pytest.mark.parametrize("isa", available_isas())


def depthwise(x: Array, weights: Array, stride: int, padding: int, activation: int = 0) -> Model:
    b = ModelBuilder()
    channels = weights.shape[3]
    bias = np.linspace(-1, 1, channels).astype(np.float32)
    inputs = [b.input("x", x.shape, "float32"), b.constant("w", weights), b.constant("b", bias)]
    sides = zip(x.shape[1:3], weights.shape[1:3], strict=True)
    size = [-(-(n - (taps - 1) * padding) // stride) for n, taps in sides]
    y = b.tensor("y", (x.shape[0], *size, channels), "float32")
    options = DepthwiseConv2DOptions(padding, stride, stride, channels // x.shape[3], activation)
    b.operator("DEPTHWISE_CONV_2D", inputs, [y], options)
    b.output(y)
    return b.build()


def image(rows: int, columns: int, channels: int) -> tuple[Array, Array]:
    rng = np.random.default_rng([rows, columns, channels])
    x = rng.normal(size=(2, rows, columns, channels)).astype(np.float32)
    return x, rng.normal(size=(1, 3, 3, channels)).astype(np.float32)


@each_isa
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("stride", [1, 2])
def test_every_width_and_height_is_near_the_reference(
    isa: str, stride: int, padding: int, channels: int
) -> None:
    least = 3 if padding == VALID else 1
    for rows, columns in zip(range(least, MOST), np.roll(range(least, MOST), 3), strict=True):
        x, weights = image(rows, int(columns), channels)
        y, expected = outputs(isa, x, depthwise(x, weights, stride, padding))
        where = f"{rows} rows, {columns} columns"
        atol = 2e-6 * np.abs(expected).max()
        np.testing.assert_allclose(y, expected, rtol=0, atol=atol, err_msg=where)


@each_isa
@pytest.mark.parametrize("stride", [1, 2])
def test_an_activation_bounds_the_edges_too(isa: str, stride: int) -> None:
    x, weights = image(6, 6, 16)
    y, expected = outputs(isa, 9 * x, depthwise(x, weights, stride, SAME, RELU6))
    assert y.min() == 0
    assert y.max() == 6
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5)


@each_isa
@pytest.mark.parametrize("stride", [1, 2])
def test_what_is_no_number_reaches_its_neighbours_and_nobody_else(isa: str, stride: int) -> None:
    x, weights = image(8, 8, 16)
    x[0, 0, 7, 3] = np.nan
    with np.errstate(invalid="ignore"):
        y, expected = outputs(isa, x, depthwise(x, weights, stride, SAME))
    assert np.isnan(y).any()
    assert np.array_equal(np.isnan(y), np.isnan(expected))


# -- one input channel, whose filters are many -------------------------------------------


def one_channel(filters: int, taps: tuple[int, int] = (3, 3)) -> tuple[Array, Array]:
    rng = np.random.default_rng(filters)
    x = rng.normal(size=(2, 9, 12, 1)).astype(np.float32)
    return x, rng.normal(size=(1, *taps, filters)).astype(np.float32)


@each_isa
@pytest.mark.parametrize("filters", [2, 3, 8, 16, 20, 32, 64, 100])
@pytest.mark.parametrize("taps", [(3, 3), (1, 5), (9, 4)])
@pytest.mark.parametrize(("stride", "padding"), [(1, SAME), (2, SAME), (2, VALID), (1, VALID)])
def test_a_multiplier_of_one_channel_is_near_the_reference(
    isa: str, stride: int, padding: int, taps: tuple[int, int], filters: int
) -> None:
    x, weights = one_channel(filters, taps)
    y, expected = outputs(isa, x, depthwise(x, weights, stride, padding))
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@each_isa
def test_the_activation_of_a_multiplier_bounds_all_filters(isa: str) -> None:
    x, weights = one_channel(32)
    y, expected = outputs(isa, 9 * x, depthwise(x, weights, 2, SAME, RELU6))
    assert (y.min(), y.max()) == (0, 6)
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-5)


@each_isa
@pytest.mark.parametrize("filters", [8, 32])
@pytest.mark.parametrize("where", ["image", "weights"])
def test_what_is_infinite_meets_no_border_of_zeros(isa: str, where: str, filters: int) -> None:
    x, weights = one_channel(filters)
    (x if where == "image" else weights)[0, 0, 0, 0] = np.inf
    with np.errstate(invalid="ignore"):
        y, expected = outputs(isa, x, depthwise(x, weights, 1, SAME))
    assert np.abs(expected).max() == np.finfo(np.float32).max
    assert not np.isnan(expected).any()
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=2e-5)


def test_the_image_of_a_multiplier_is_not_repeated_for_each_filter() -> None:
    x, weights = one_channel(64)
    interpreter = HeapInterpreter(depthwise(x, weights, 2, SAME))
    interpreter.allocate_tensors()
    best = interpreter.compile(available_isas()[-1])
    if best.kernel(0) == "portable":
        pytest.skip("this processor has no instruction set with lanes")
    assert best.workspace_bytes < x[0].nbytes * 64
