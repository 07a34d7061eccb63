"""What straight RISC-V code costs, and that all that runs is counted."""

import struct
from pathlib import Path

import pytest

from arenite.emulator.pipelines import pipeline_of
from arenite.emulator.riscv import steps

ADDI, NOP = struct.pack("<I", 0x00150513), struct.pack("<H", 0x0001)


@pytest.mark.parametrize(
    ("code", "instructions"),
    [(b"", 0), (ADDI, 1), (NOP, 1), (NOP + ADDI + NOP, 3), (NOP + ADDI[:2], 1)],
)
def test_instructions_have_two_or_four_bytes(code, instructions):
    assert len(steps(code)) == instructions


def test_a_hundred_instructions_take_116_cycles():
    cycles = pipeline_of("esp32c3").piece_of(100 * NOP).half_cycles / 2
    assert cycles == pytest.approx(116)


@pytest.mark.parametrize("processor", ["esp32c3", "cortex-m0plus"])
def test_counts_are_those_of_single_steps(processor, tmp_path):
    unicorn = pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    from arenite.emulator.machine import Machine
    from arenite.firmware import export
    from arenite.firmware.build import build
    from tests.firmware.models import residual

    export(residual(), tmp_path / "m", target=processor, name="m")
    (tmp_path / "built").mkdir()
    machine = Machine(build(tmp_path / "m", Path(tmp_path / "built"), processor), processor)
    machine.call("m_init")
    with machine.counting():
        machine.call("m_invoke")
    steps = []
    machine._core.hook_add(unicorn.UC_HOOK_CODE, lambda *_: steps.append(1))
    machine._core.ctl_flush_tb()
    machine.restart()
    machine.call("m_init")
    steps.clear()
    machine.call("m_invoke")
    assert machine.count().instructions == len(steps) > 100
