"""A program on an emulated RISC-V core (RV32IMC): plain C that no Arm core has part in.

Flash can be read and run, memory and stack read and written; all else ends the run. Nothing is
below the stack and above it, and how deep it was is known after every call.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from arenite.emulator.elf import Image, read_elf
from arenite.firmware.plan.program import Program
from arenite.firmware.text.source import sources

Array = np.ndarray[Any, Any]

FLASH, RAM, STACK, BYTES = 0x20000000, 0x80000000, 0x90000000, 16 << 20
STACK_BYTES = 64 << 10
_TOP = STACK + STACK_BYTES - 64
_EXIT = FLASH + BYTES - 16
_PATTERN = b"\xa5"

_LINK = f"""\
MEMORY {{
  FLASH (rx) : ORIGIN = {FLASH:#x}, LENGTH = {BYTES}
  RAM (rw) : ORIGIN = {RAM:#x}, LENGTH = {BYTES}
}}
SECTIONS {{
  .text : {{ KEEP(*(.text*)) }} > FLASH
  .rodata : {{ KEEP(*(.rodata*)) KEEP(*(.srodata*)) }} > FLASH
  .data : {{ KEEP(*(.data*)) KEEP(*(.sdata*)) }} > RAM
  .bss (NOLOAD) : {{ KEEP(*(.bss*)) KEEP(*(.sbss*)) *(COMMON) }} > RAM
}}
"""
_RUNTIME = """\
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n);
void *memcpy(void *to, const void *from, size_t n) {
  for (size_t i = 0; i < n; ++i) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memset(void *to, int value, size_t n);
void *memset(void *to, int value, size_t n) {
  for (size_t i = 0; i < n; ++i) ((volatile char *)to)[i] = (char)value;
  return to;
}
void board_print(const char *text);
void board_print(const char *text) { (void)text; }
"""
_FLAGS = ("-std=c11", "-Os", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffreestanding")
_TARGET = ("--target=riscv32-freestanding-none", "-mcpu=generic_rv32+m+c", "-fno-sanitize=all")
_LINKED = ("-Wl,-T,link.ld", "-Wl,--no-gc-sections", "-Wl,--entry=0")


def built(folder: Path) -> Image:
    """The files in a folder that end with .c, compiled and linked by zig's clang."""
    (folder / "link.ld").write_text(_LINK)
    (folder / "runtime.c").write_text(_RUNTIME)
    files = [path.name for path in sorted(folder.glob("*.c"))]
    command = [sys.executable, "-m", "ziglang", "cc", *_TARGET, *_FLAGS, *_LINKED]
    done = subprocess.run(
        [*command, *files, "-o", "out.elf"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return read_elf((folder / "out.elf").read_bytes())


class Core:
    """A core with a program, whose functions are called one at a time."""

    def __init__(self, image: Image) -> None:
        import unicorn
        from unicorn import riscv_const

        self._image = image
        self._registers = riscv_const
        self._core = core = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        core.mem_map(FLASH, BYTES, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        for start, size in ((RAM, BYTES), (STACK, STACK_BYTES)):
            core.mem_map(start, size, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        for address, data in self._image.segments:
            core.mem_write(address, data)

    def address(self, function: str) -> int:
        return self._image.symbols[function]

    def call(self, function: str, *arguments: int) -> int:
        """Call a function with up to eight integers."""
        core, names = self._core, self._registers
        core.mem_write(STACK, _PATTERN * STACK_BYTES)
        core.reg_write(names.UC_RISCV_REG_SP, _TOP)
        core.reg_write(names.UC_RISCV_REG_RA, _EXIT)
        for number, value in enumerate(arguments):
            core.reg_write(getattr(names, f"UC_RISCV_REG_A{number}"), value)
        core.emu_start(self.address(function), _EXIT)
        assert core.reg_read(names.UC_RISCV_REG_SP) == _TOP
        return int(core.reg_read(names.UC_RISCV_REG_A0)) & 0xFFFFFFFF

    def stack_bytes(self) -> int:
        """The deepest that the stack was in the last call."""
        return len(self.read(STACK, STACK_BYTES - 64).lstrip(_PATTERN))

    def write(self, address: int, data: bytes) -> None:
        self._core.mem_write(address, data)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._core.mem_read(address, size))


class RiscV:
    """A core with a network's program, called like an interpreter."""

    def __init__(self, program: Program, folder: Path) -> None:
        for name, text in sources(program).items():
            (folder / name).write_text(text)
        self._program, self._core = program, Core(built(folder))
        self.stack_bytes = 0
        self._call("init")

    def _call(self, function: str, *arguments: int) -> int:
        return self._core.call(f"{self._program.name}_{function}", *arguments)

    def __call__(self, *inputs: Array) -> list[Array]:
        for index, array in enumerate(inputs):
            self._core.write(self._call("input", index), np.ascontiguousarray(array).tobytes())
        self._call("invoke")
        self.stack_bytes = self._core.stack_bytes()
        return [self._output(index) for index in range(len(self._program.network.outputs))]

    def _output(self, index: int) -> Array:
        value = self._program.network.outputs[index]
        data = self._core.read(self._call("output", index), value.nbytes)
        return np.frombuffer(data, value.type.dtype).reshape(value.shape)
