"""3x3 convolutions with four products, or two and a quarter, in the place of nine."""

import numpy as np
import pytest

import arenite as ar
from arenite.firmware.kernels.cortex_m.tiles import SIZES, TILES_2X2, TILES_4X4
from arenite.firmware.kernels.cortex_m.winograd import strips_of, winograd
from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.plan.estimate import cycles
from tests.firmware.kernels.cortex_m.layers import NONE, RELU6, RELU_N1, VALID, Layers
from tests.firmware.kernels.cortex_m.winograd_layers import always

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

EACH_SIZE = pytest.mark.parametrize("tiles", SIZES, ids=[one.name for one in SIZES])


def both(layers: Layers, *layer, **kinds) -> None:
    """A layer for either size."""
    for _ in SIZES:
        layers.conv(*layer, (3, 3), **kinds)


def test_all_layers_are_equal_on_the_board_and_take_as_long_as_was_said():
    layers = Layers(7, heaviest=60)
    both(layers, (5, 9, 8), 5, activation=NONE)
    both(layers, (6, 35, 4), 6, activation=RELU6)
    both(layers, (7, 10, 20), 4, padding=VALID, activation=RELU_N1)
    both(layers, (4, 6, 68), 4, activation=NONE)
    with always(*SIZES):
        result = layers.run(runs=5)
    assert result.differences == ()
    names = [layer.function.rpartition("_")[0] for layer in result.layers]
    assert names == ["winograd_2x2", "winograd_4x4"] * 4
    for layer, ran in zip(layers.layers(), result.layers, strict=True):
        said = cycles(layer, winograd(layer, SIZES[layer.index % 2]))
        assert said == pytest.approx(ran.cycles, rel=0.05)


class Ends(Layers):
    """Layers whose weights are the ends of int8."""

    def values(self, shape):
        return self.rng.choice([-128, 127], shape).astype(np.int8)


def test_ends_of_int8_do_not_leave_16_bits():
    layers = Ends(3)
    both(layers, (8, 8, 4), 8, activation=NONE)
    model, rng = layers.build(), np.random.default_rng(0)
    with always(*SIZES):
        board = ar.Board(model)
    assert all(layer.function.startswith("winograd") for layer in board.export.layers)
    reference = ar.Interpreter(model)
    for _ in range(10):
        arrays = [rng.choice([-128, 127], (1, 8, 8, 4)).astype(np.int8) for _ in SIZES]
        for got, wanted in zip(board(*arrays), reference(*arrays), strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (lambda net: net.conv((8, 8, 4), 4, (3, 3), stride=2), "expected 3x3 weights, stride 1"),
        (lambda net: net.conv((8, 8, 4), 4, (1, 1)), "expected 3x3 weights"),
        (lambda net: net.conv((8, 8, 6), 4, (3, 3)), "expected a multiple of 4 channels"),
        (lambda net: net.conv((8, 8, 4), 3, (3, 3)), "at least 4 filters"),
        (lambda net: net.conv((3, 8, 4), 4, (3, 3)), "expected at least 4x4 outputs"),
        (lambda net: net.conv((8, 5, 4), 4, (3, 3), padding=VALID), "expected at least 4x4"),
    ],
)
def test_other_convolutions_are_refused(layer, reason):
    layers = Layers(8)
    layer(layers)
    with pytest.raises(UnsupportedError, match=reason):
        winograd(layers.layers()[0], TILES_4X4)


def test_sums_that_leave_32_bits_in_large_tiles_are_done_in_small_ones():
    layers = Layers(9)
    layers.conv((4, 4, 64), 4, (3, 3))
    (layer,) = layers.layers()
    assert winograd(layer, TILES_2X2).routine.stem == "winograd_2x2"
    with pytest.raises(UnsupportedError, match="sums of channel 0 reach"):
        winograd(layer, TILES_4X4)


@EACH_SIZE
def test_sums_of_transformed_products_are_the_convolution_times_the_scale(tiles):
    rng, m, n = np.random.default_rng(0), tiles.outputs, tiles.side
    x, w = rng.integers(-128, 128, (n, n)), rng.integers(-128, 128, (3, 3))
    products = (tiles.weights @ w @ tiles.weights.T) * (tiles.inputs @ x @ tiles.inputs.T)
    wanted = [[(x[i : i + 3, j : j + 3] * w).sum() for j in range(m)] for i in range(m)]
    sums = tiles.back @ products @ tiles.back.T
    np.testing.assert_array_equal(sums, tiles.scale * np.array(wanted))


@EACH_SIZE
def test_whatever_int8_holds_is_transformed_within_16_bits(tiles):
    for matrix in (tiles.inputs, tiles.weights):
        most = np.abs(matrix).sum(axis=1).max() ** 2 * 128
        assert most < 1 << 15


@EACH_SIZE
def test_a_bias_is_in_every_output_once(tiles):
    np.testing.assert_array_equal(tiles.back[:, 1], 1)


@EACH_SIZE
@pytest.mark.parametrize("depth", [4, 16, 64, 256])
def test_strips_cover_every_output_and_no_more(tiles, depth):
    m = tiles.outputs
    for width in range(m, 100):
        strips = strips_of(tiles, width, depth)
        begins = [min(begin, width - strips.span) for begin in range(0, width, strips.span)]
        made = {b + s + i for b in begins for s in strips.starts for i in range(m)}
        assert made == set(range(width))
        assert strips.slots % 2 == 0
        assert len(strips.starts) <= strips.slots <= max(32 // m, 2)
