"""Layers with the vectors of a Cortex-M55 give the reference's bits in QEMU."""

import shutil

import pytest

from arenite.firmware.kernels.cortex_m55 import cortex_m55_work
from tests.firmware.kernels.cortex_m.layers import NONE, RELU6, SAME, VALID, Layers

pytest.importorskip("ziglang")


def layers_of_all_kinds() -> Layers:
    """Windows, strides and numbers of channels that end in the middle of vectors, or do not."""
    layers = Layers(30)
    for activation in (NONE, RELU6):
        layers.conv((3, 3, 16), 8, activation=activation)
        layers.conv((3, 5, 7), 10, activation=activation)  # outputs grow: from the last pixel on
        layers.conv((2, 2, 40), 3, activation=activation)
        layers.conv((5, 6, 3), 5, (3, 2), stride=(2, 1), activation=activation)
        layers.depthwise((5, 7, 6), padding=SAME, activation=activation)
        layers.depthwise((9, 5, 8), stride=(2, 3), kernel=(4, 2), activation=activation)
        layers.depthwise((4, 9, 4), kernel=(2, 5), activation=activation)
        layers.depthwise((12, 1, 4), kernel=(5, 1), padding=VALID, activation=activation)
        layers.depthwise((6, 6, 1), multiplier=5, activation=activation)
        layers.dense(50, 6, activation)
        layers.dense(3, 2, activation)
        layers.add(9, "ADD", activation)
        layers.add(16, "SUB", activation)
    return layers


def test_kernels_take_all_of_them():
    assert {cortex_m55_work(layer).reason for layer in layers_of_all_kinds().layers()} == {""}


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="there is no QEMU")
def test_all_are_equal_in_qemu():
    result = layers_of_all_kinds().run(processor="cortex-m55", runs=3)
    assert result.differences == ()
    assert {layer.function.partition("_")[0] for layer in result.layers} == {"vector"}
    assert result.instructions > 1000


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="there is no QEMU")
def test_a_sum_alone_brings_its_vectors():
    layers = Layers(32)
    layers.add(9)
    assert layers.run(processor="cortex-m55", runs=2).differences == ()


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (lambda net: net.depthwise((3, 3, 3)), "at least 4 channels"),
        (lambda net: net.depthwise((3, 3, 2), multiplier=4), "a depth multiplier of 1"),
    ],
)
def test_what_no_vectors_take_is_plain_c_with_a_reason(layer, reason):
    layers = Layers(31)
    layer(layers)
    (one,) = layers.layers()
    assert reason in cortex_m55_work(one).reason
