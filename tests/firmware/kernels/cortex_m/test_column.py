"""Convolutions of one output position, whose window is all of the image."""

import pytest

from arenite.firmware.kernels.cortex_m import cortex_m_work
from tests.firmware.kernels.cortex_m.layers import (
    NONE,
    RELU,
    RELU6,
    RELU_N1,
    VALID,
    Layers,
    assert_equal_in_assembly,
)
from tests.ops.differential import CASES

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def stems(layers):
    return {cortex_m_work(one).routine.stem for one in layers.layers()}


@pytest.mark.parametrize("activation", [NONE, RELU, RELU6, RELU_N1])
def test_depthwise_of_any_number_of_taps(activation):
    layers = Layers(20 + activation)
    for taps, channels in ((1, 4), (2, 8), (3, 4), (6, 12), (7, 4), (8, 4), (9, 32), (23, 64)):
        layers.depthwise((taps, 1, channels), 1, VALID, (taps, 1), activation=activation)
    layers.depthwise((3, 3, 8), 1, VALID, (3, 3), activation=activation)
    layers.depthwise((4, 5, 4), 2, VALID, (4, 5), activation=activation)
    assert stems(layers) == {"depthwise_column"}
    assert_equal_in_assembly(layers)


def test_other_depthwise_layers_are_no_columns():
    layers = Layers(30)
    layers.depthwise((5, 1, 6), 1, VALID, (5, 1))
    layers.depthwise((6, 1, 8), 1, VALID, (5, 1))
    layers.depthwise((3, 3, 8))
    layers.depthwise((5, 1, 1), 1, VALID, (5, 1), multiplier=4)
    assert "depthwise_column" not in stems(layers)
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize("activation", [NONE, RELU, RELU6])
def test_convolutions_are_rows(activation):
    layers = Layers(40 + activation)
    for shape, filters in (((5, 1, 40), 32), ((1, 1, 64), 64), ((3, 2, 5), 7), ((2, 2, 3), 3)):
        layers.conv(shape, filters, shape[:2], padding=VALID, activation=activation)
    assert stems(layers) == {"fully_connected"}
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize("seed", range(2 if CASES <= 50 else 20))
def test_columns_of_any_scales(seed):
    layers = Layers(1000 + seed, extreme=True)
    rng = layers.rng
    for _ in range(8):
        taps, channels = int(rng.integers(1, 26)), 4 * int(rng.integers(1, 12))
        activation = int(rng.integers(4))
        layers.depthwise((taps, 1, channels), 1, VALID, (taps, 1), activation=activation)
        layers.conv((taps, 1, channels), 5, (taps, 1), padding=VALID, activation=activation)
    assert layers.run().differences == ()
