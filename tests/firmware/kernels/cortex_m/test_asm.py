"""Functions in Thumb-2 as text."""

import shutil
import subprocess

import pytest

from arenite.firmware import export
from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.tiles import SIZES
from arenite.firmware.network.kernel import UnsupportedError
from tests.firmware.kernels.cortex_m.layers import NONE, Layers
from tests.firmware.kernels.cortex_m.winograd_layers import always


def lines(a: Assembly) -> list[str]:
    return [line.strip() for line in a.text().splitlines()[5:-2]]


def test_registers_and_places_have_names():
    a = Assembly(sum="r4", x="r2")
    a.enter("first", "last")
    a("ldr sum, [last]", "smlad sum, x, r3, sum", "ldr x, [r0, #4]")
    a.leave()
    assert lines(a) == [
        *("push {r4-r11, lr}", "sub sp, sp, #8", "ldr r4, [sp, #4]", "smlad r4, r2, r3, r4"),
        *("ldr r2, [r0, #4]", "add sp, sp, #8", "pop {r4-r11, pc}"),
    ]


def test_labels_are_the_function_s_own():
    a = Assembly()
    a(".again:", "bne .again")
    assert lines(a) == [".L@name@_again:", "bne .L@name@_again"]


@pytest.mark.parametrize("number", [0, 5, -5, 4095, 4096, 70_000, -1_234_567])
def test_any_number_is_added(number):
    a = Assembly()
    a.add("r1", number, "r2")
    total = 0
    for line in lines(a):
        word, _, operands = line.partition(" ")
        if word != "mov":
            total += int(operands.rpartition("#")[2]) * (1 if word == "add" else -1)
    assert total == number


def test_what_is_out_of_reach_is_refused():
    with pytest.raises(UnsupportedError, match="4096 bytes is too large for one load"):
        offset(4096)
    with pytest.raises(UnsupportedError, match="too large"):
        Assembly().add("r0", 1 << 24)


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="there is no GCC for Arm")
def test_gcc_takes_what_clang_takes(tmp_path):
    layers = Layers(9)
    layers.conv((4, 4, 8), 8)
    layers.conv((4, 4, 8), 8, (2, 2))
    for _ in SIZES:
        layers.conv((4, 5, 8), 8, (3, 3), activation=NONE)
    layers.depthwise((4, 4, 8))
    layers.dense(8, 8)
    layers.add(8)
    layers.average((4, 4, 8))
    with always(*SIZES):
        export(layers.build(), tmp_path)
    command = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-Wa,--fatal-warnings", "-c", "kernels.S"]
    done = subprocess.run(
        command, cwd=tmp_path / "src", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
