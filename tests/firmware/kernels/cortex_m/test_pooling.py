"""Pools and means in assembly give the reference's bits on an emulated Cortex-M4."""

import pytest

from tests.firmware.kernels.cortex_m.layers import (
    RELU,
    RELU6,
    SAME,
    Layers,
    assert_equal_in_assembly,
)

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def test_windows_of_images():
    layers = Layers(20)
    for pool in (layers.average, layers.largest):
        pool((4, 4, 8), kernel=(2, 2), stride=2)
        pool((5, 7, 6), kernel=(3, 2))  # the last channels are done twice
        pool((6, 6, 4), kernel=(2, 3), stride=(2, 3), padding=SAME)
        pool((17, 6, 4), kernel=(17, 3), activation=RELU6)
        pool((5, 5, 5), kernel=(5, 5), activation=RELU)
    assert_equal_in_assembly(layers)


def test_windows_beyond_the_image():
    layers = Layers(22)
    for pool in (layers.average, layers.largest):
        pool((4, 5, 8), kernel=(3, 3), padding=SAME)
        pool((5, 5, 6), kernel=(2, 2), stride=2, padding=SAME)  # the last channels are done twice
        pool((3, 3, 4), kernel=(3, 3), stride=3, padding=SAME)
        pool((3, 2, 4), kernel=(3, 2), padding=SAME, activation=RELU6)  # as wide as the image
        pool((2, 7, 5), kernel=(1, 7), padding=SAME, activation=RELU)
    assert_equal_in_assembly(layers)


def test_pixels_of_many_channels():
    layers = Layers(24)
    layers.mean((3, 3, 1280))
    for pool in (layers.average, layers.largest):
        pool((3, 4, 2100), kernel=(2, 3))
        pool((3, 3, 1400), kernel=(3, 3), padding=SAME)
    assert_equal_in_assembly(layers)


def test_means_of_images():
    layers = Layers(21)
    for shape in ((1, 2, 4), (3, 5, 8), (7, 7, 12), (15, 17, 5), (3, 1, 64)):
        layers.mean(shape)
    assert_equal_in_assembly(layers)
