"""Layers in Thumb-1 give the reference's bits on an emulated Cortex-M0+."""

import shutil
import subprocess

import pytest

from arenite.firmware.export import export
from arenite.firmware.kernels.cortex_m0 import cortex_m0_work
from tests.firmware.kernels.cortex_m.layers import NONE, RELU6, SAME, VALID, Layers


def layers_of_all_kinds() -> Layers:
    """Turns with and without a rest, quads that overlap or are not full, padding on every side."""
    layers = Layers(40)
    for activation in (NONE, RELU6):
        layers.conv((3, 3, 16), 8, activation=activation)
        layers.conv((2, 5, 7), 10, activation=activation)  # outputs grow: from the last row on
        layers.conv((5, 6, 3), 5, (3, 2), stride=(2, 1), padding=SAME, activation=activation)
        layers.conv((8, 4, 2), 4, (4, 3), padding=VALID, activation=activation, dilation=(2, 1))
        layers.conv((2, 3, 4), 6, (5, 5), padding=SAME, activation=activation)
        layers.conv((5, 6, 3), 3, (3, 3), padding=SAME, activation=activation)
        layers.conv((5, 6, 6), 6, (3, 2), stride=2, activation=activation, groups=2)
        layers.conv((2, 4, 9), 15, activation=activation, groups=3)
        layers.conv((7, 6, 2), 3, (2, 3), activation=activation, dilation=(1, 2))
        layers.conv((9, 8, 4), 4, (2, 3), padding=SAME, activation=activation, dilation=(3, 2))
        layers.dense(40, 3, activation, rows=2)
        layers.dense(50, 6, activation)
        layers.dense(300, 5, activation, rows=3)
    return layers


def test_kernels_take_all_of_them():
    assert {cortex_m0_work(layer).reason for layer in layers_of_all_kinds().layers()} == {""}


def test_all_are_equal_on_the_emulated_core():
    pytest.importorskip("unicorn")
    result = layers_of_all_kinds().run(processor="cortex-m0plus", runs=4)
    assert result.differences == ()
    stems = {layer.function.rpartition("_")[0] for layer in result.layers}
    assert stems == {"pointwise_rows", "windows", "taps", "fully_connected_rows"}


def test_a_product_takes_less_than_four_instructions():
    pytest.importorskip("unicorn")
    net = Layers(3)
    net.conv((8, 8, 32), 32)
    assert net.run(processor="cortex-m0", runs=1).instructions < 8 * 8 * 32 * (32 * 3.6 + 40)


@pytest.mark.parametrize("sizes", [(1 << 16, 3), (8, 2)])
def test_what_no_such_kernel_takes_is_plain_c_with_a_reason(sizes):
    layers = Layers(41)
    layers.dense(*sizes)
    (one,) = layers.layers()
    assert cortex_m0_work(one).reason == "expected 3 filters or more of under 65536 weights"


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="there is no GCC for Arm")
@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m0plus"])
def test_gnu_as_takes_the_text(tmp_path, core):
    export(layers_of_all_kinds().build(), tmp_path / "m", target=core, emulate=False)
    source = str(tmp_path / "m" / "src" / "kernels.S")
    command = ["arm-none-eabi-gcc", f"-mcpu={core}", "-mthumb", "-c", source]
    done = subprocess.run([*command, "-o", str(tmp_path / "k.o")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
