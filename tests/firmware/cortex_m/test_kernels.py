"""Layers in assembly give the reference's bits on an emulated Cortex-M4."""

from __future__ import annotations

import pytest

from arenite.firmware.cortex_m import cortex_m_work
from tests.firmware.cortex_m.layers import NONE, RELU, VALID, Layers

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def assert_equal_in_assembly(layers: Layers) -> None:
    assert [cortex_m_work(layer).reason for layer in layers.layers()] == [""] * len(layers.layers())
    result = layers.run()
    assert result.differences == ()


def test_pointwise():
    layers = Layers(0)
    layers.conv((4, 4, 8), 8)
    layers.conv((3, 3, 16), 8)  # an odd number of pixels
    layers.conv((3, 5, 8), 24)  # outputs grow: from the last pixel on
    layers.conv((1, 1, 24), 4, activation=NONE)
    layers.conv((5, 5, 64), 64)
    layers.conv((2, 3, 136), 12, activation=NONE)  # 68 steps
    layers.conv((3, 3, 40), 44, activation=NONE)
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
    assert_equal_in_assembly(layers)


def test_fully_connected():
    layers = Layers(3)
    for depth, units in ((4, 4), (12, 8), (64, 12), (640, 4), (20, 20)):
        layers.dense(depth, units, RELU)
        layers.dense(depth, units, NONE)
    assert_equal_in_assembly(layers)


def test_sums_and_differences():
    layers = Layers(4)
    for size in (4, 8, 100):
        layers.add(size)
        layers.add(size, "SUB")
    assert_equal_in_assembly(layers)


def test_averages_of_images():
    layers = Layers(5)
    for shape in ((1, 1, 4), (3, 5, 8), (8, 8, 64), (15, 17, 4)):
        layers.average(shape)
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (lambda net: net.conv((3, 3, 8), 5), "5 filters are no multiple of 4"),
        (lambda net: net.depthwise((3, 3, 6)), "channels a multiple of 4"),
        (lambda net: net.depthwise((5, 5, 4), kernel=(5, 5)), "weights are not 3x3"),
        (lambda net: net.dense(6, 4), "a multiple of 4"),
        (lambda net: net.add(6), "a multiple of 4 elements"),
        (lambda net: net.average((16, 16, 4)), "at most 255 pixels"),
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
