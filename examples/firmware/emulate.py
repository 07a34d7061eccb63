"""Run a program for Arm's MPS2 board (AN386, a Cortex-M4) and print what its UART sends.

The core is unicorn's. Flash, RAM, a UART and a counter of cycles is all that this board has; the
program ends by semihosting's SYS_EXIT. A real core's counter counts cycles, this one instructions.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from unicorn import (
    UC_ARCH_ARM,
    UC_HOOK_CODE,
    UC_HOOK_INTR,
    UC_MODE_MCLASS,
    UC_MODE_THUMB,
    UC_PROT_EXEC,
    UC_PROT_READ,
    UC_PROT_WRITE,
    Uc,
)
from unicorn.arm_const import (
    UC_ARM_REG_PC,
    UC_ARM_REG_R0,
    UC_ARM_REG_R1,
    UC_ARM_REG_SP,
    UC_CPU_ARM_CORTEX_M4,
)

from arenite.emulator.elf import read_elf

FLASH, RAM, SIZE, UART = 0x00000000, 0x20000000, 4 << 20, 0x40004000
#: The core's own registers: the counter of cycles, and what enables it.
DWT, DWT_CYCCNT, SYSTEM_CONTROL = 0xE0001000, 4, 0xE000E000
SYS_EXIT, APPLICATION_EXIT = 0x18, 0x20026


def run(program: bytes) -> int:
    """The program's exit code: 0 if it ends without an error."""
    core = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS)
    core.ctl_set_cpu_model(UC_CPU_ARM_CORTEX_M4)
    core.mem_map(FLASH, SIZE, UC_PROT_READ | UC_PROT_EXEC)
    core.mem_map(RAM, SIZE, UC_PROT_READ | UC_PROT_WRITE)
    core.mmio_map(UART, 0x1000, lambda *_: 0, None, send, None)
    counter = Counter()
    core.mmio_map(DWT, 0x1000, counter.read, None, lambda *_: None, None)
    core.mmio_map(SYSTEM_CONTROL, 0x1000, lambda *_: 0, None, lambda *_: None, None)
    core.hook_add(UC_HOOK_CODE, counter.count)
    core.hook_add(UC_HOOK_INTR, lambda *_: core.emu_stop())
    for address, data in read_elf(program).segments:
        core.mem_write(address, data)
    stack, start = (int.from_bytes(core.mem_read(4 * i, 4), "little") for i in range(2))
    core.reg_write(UC_ARM_REG_SP, stack)
    core.emu_start(start, SIZE)
    operation, reason = core.reg_read(UC_ARM_REG_R0), core.reg_read(UC_ARM_REG_R1)
    if operation != SYS_EXIT:
        print(f"stopped at {core.reg_read(UC_ARM_REG_PC):#x}")
    return 0 if (operation, reason) == (SYS_EXIT, APPLICATION_EXIT) else 1


class Counter:
    """Instructions that ran."""

    def __init__(self) -> None:
        self.value = 0

    def count(self, *_: Any) -> None:
        """One more."""
        self.value += 1

    def read(self, _core: Uc, register: int, _size: int, _data: Any) -> int:
        """A register of the DWT."""
        return self.value % (1 << 32) if register == DWT_CYCCNT else 0


def send(_core: Uc, register: int, _size: int, value: int, _data: Any) -> None:
    """A write to the UART: its first register is the byte to send."""
    if register == 0:
        sys.stdout.write(chr(value).replace("\r", ""))


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]).read_bytes()))
