"""Layers in assembly give the reference's bits on an emulated Cortex-M4."""

from __future__ import annotations

import pytest

from arenite.firmware.kernels.cortex_m import cortex_m_work
from tests.firmware.kernels.cortex_m.layers import (
    NONE,
    RELU,
    RELU6,
    RELU_N1,
    SAME,
    VALID,
    Layers,
    assert_equal_in_assembly,
)

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def test_pointwise():
    layers = Layers(0)
    layers.conv((4, 4, 8), 8)
    layers.conv((3, 3, 16), 8)  # an odd number of pixels
    layers.conv((3, 5, 8), 24)  # outputs grow: from the last pixel on
    layers.conv((1, 1, 24), 4, activation=NONE)
    layers.conv((5, 5, 64), 64)
    layers.conv((2, 3, 136), 12, activation=NONE)  # 68 steps
    layers.conv((3, 3, 40), 44, activation=NONE)
    layers.conv((3, 3, 12), 8)  # half of a turn widens two pixels
    layers.conv((2, 3, 20), 24, activation=NONE)
    assert_equal_in_assembly(layers)


def test_convolutions():
    layers = Layers(1)
    layers.conv((6, 6, 8), 8, (3, 3))
    layers.conv((6, 7, 16), 4, (3, 3), activation=NONE)
    layers.conv((7, 7, 24), 8, (3, 3), stride=2)
    layers.conv((8, 8, 3), 8, (3, 3), stride=2)
    layers.conv((9, 6, 1), 12, (5, 4), stride=2)
    layers.conv((5, 6, 5), 4, (2, 3), padding=VALID, activation=NONE)
    layers.conv((6, 6, 16), 8, (1, 1), stride=2)
    layers.conv((3, 3, 8), 4, (3, 3), padding=VALID)
    layers.conv((4, 3, 2), 4, (1, 1))
    layers.conv((5, 5, 12), 8, (3, 3), stride=(1, 3))
    layers.conv((3, 3, 28), 4, (2, 2), activation=NONE)
    assert_equal_in_assembly(layers)


def test_depthwise_of_channels_whose_outputs_are_further_away_than_one_store_reaches():
    layers = Layers(14)
    layers.depthwise((3, 4, 1028))
    layers.depthwise((3, 3, 1028), activation=NONE)
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize("activation", [RELU, NONE])
def test_filters_that_are_no_multiple_of_four(activation):
    layers = Layers(12)
    for filters in (1, 2, 3, 5, 7, 10):
        layers.conv((3, 3, 8), filters, activation=activation)
        layers.conv((3, 4, 3), filters, (2, 3), activation=activation)
        layers.dense(8, filters, activation)
    assert_equal_in_assembly(layers)


def test_clamps_to_less_than_int8():
    layers = Layers(13)
    for activation in (RELU_N1, RELU6):
        layers.conv((3, 3, 8), 8, activation=activation)
        layers.conv((4, 4, 3), 5, (3, 3), activation=activation)
        layers.dense(12, 8, activation)
        layers.add(9, "ADD", activation)
        layers.depthwise((5, 5, 4), activation=activation)
        layers.depthwise((5, 5, 4), kernel=(2, 5), activation=activation)
    ranges = (
        (layer.params.activation_min, layer.params.activation_max) for layer in layers.layers()
    )
    assert sum(one != (-128, 127) for one in ranges) > 8
    assert_equal_in_assembly(layers)


def test_depthwise():
    layers = Layers(2)
    layers.depthwise((5, 5, 4))
    layers.depthwise((3, 3, 8))
    layers.depthwise((1, 1, 4))
    layers.depthwise((6, 8, 12))
    layers.depthwise((12, 7, 4), padding=VALID)
    layers.depthwise((8, 8, 8), stride=2)
    layers.depthwise((7, 9, 4), stride=2)
    layers.depthwise((5, 5, 8), stride=2, padding=VALID)
    layers.depthwise((40, 30, 4))  # several strips, the last of other height
    layers.depthwise((41, 37, 4), stride=2)
    layers.depthwise((6, 6, 4), activation=NONE)
    layers.depthwise((7, 7, 8), stride=2, activation=NONE)
    layers.depthwise((5, 6, 7))  # the last channels are done twice
    assert_equal_in_assembly(layers)


def test_depthwise_of_other_windows():
    layers = Layers(14)
    layers.depthwise((9, 11, 4), kernel=(5, 5))
    layers.depthwise((9, 11, 5), kernel=(5, 5), activation=NONE)
    layers.depthwise((12, 13, 8), stride=2, kernel=(5, 5))
    layers.depthwise((9, 10, 4), stride=(1, 3), kernel=(2, 4), activation=NONE)
    layers.depthwise((30, 1, 8), kernel=(5, 1), padding=VALID)  # one column, seen as one row
    layers.depthwise((15, 1, 12), kernel=(15, 1), padding=VALID, activation=NONE)
    layers.depthwise((4, 5, 4), kernel=(3, 1))
    layers.depthwise((60, 30, 4), kernel=(4, 7))  # several strips, the last of other height
    layers.depthwise((9, 9, 4), stride=(3, 1), kernel=(1, 1))
    assert_equal_in_assembly(layers)


def test_depthwise_of_one_channel_is_a_convolution():
    layers = Layers(15)
    layers.depthwise((9, 8, 1), stride=2, kernel=(5, 4), multiplier=8)
    layers.depthwise((5, 5, 1), multiplier=3, activation=NONE)
    assert_equal_in_assembly(layers)
    assert {cortex_m_work(layer).routine.stem for layer in layers.layers()} == {"conv_2d"}


def test_fully_connected():
    layers = Layers(3)
    for depth, units in ((4, 4), (12, 8), (64, 12), (640, 4), (20, 20), (7, 4), (1, 1)):
        layers.dense(depth, units, RELU)
        layers.dense(depth, units, NONE)
    assert_equal_in_assembly(layers)


def test_sums_and_differences():
    layers = Layers(4)
    for size in (4, 8, 100, 7, 1):
        layers.add(size)
        layers.add(size, "SUB")
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (lambda net: net.depthwise((3, 3, 3)), "at least 4 channels"),
        (lambda net: net.depthwise((3, 3, 2), multiplier=4), "a depth multiplier of 1"),
        (lambda net: net.depthwise((30, 30, 4), kernel=(13, 13)), "169 weights per channel"),
        (lambda net: net.average((16, 16, 4)), "256 pixels are more than 255"),
        (lambda net: net.largest((4, 4, 4), kernel=(2, 2), padding=SAME), "beyond the image"),
        (lambda net: net.mean((4, 4, 3)), "four channels or more"),
    ],
)
def test_what_no_assembly_takes_is_plain_c_with_a_reason(layer, reason):
    layers = Layers(6)
    layer(layers)
    (one,) = layers.layers()
    work = cortex_m_work(one)
    assert work.routine is not None
    assert work.routine.language == "c"
    assert reason in work.reason
