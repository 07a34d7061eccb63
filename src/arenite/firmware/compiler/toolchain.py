"""The compiler that builds a firmware for an emulated core: zig's clang, or GNU's of the system.

Facts: GCC 12, "ARM Options" and "RISC-V Options" (``-mcpu`` and its extensions).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from arenite.cores import CORES, Core
from arenite.errors import BoardError
from arenite.firmware.compiler.zig import bare_flags, bare_triple, run_compiler
from arenite.processes.paths import find_program

Compiler = Literal["zig", "gcc"]
Level = Literal["O0", "O1", "O2", "O3", "Os"]
COMPILER = "zig's clang"
#: Warnings are errors, as with zig's clang.
_FLAGS = ("-std=c11", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic")
_BARE = ("-ffreestanding", "-ffunction-sections", "-nostdlib", "-nostartfiles")
#: What a folder may take to compile.
_SECONDS = 600.0
_PACKAGES = {
    "cortex-m": ("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    "esp": ("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"),
}


@dataclass(frozen=True)
class Toolchain:
    """A compiler and how far it optimises.

    Attributes:
        compiler: ``"zig"``, clang as ziglang brings it; ``"gcc"``, ``arm-none-eabi-gcc`` or
            ``riscv64-unknown-elf-gcc`` of this machine.
        level: ``"O0"`` to ``"O3"``, or ``"Os"``.
    """

    compiler: Compiler = "zig"
    level: Level = "Os"

    def __post_init__(self) -> None:
        for name, allowed in (("compiler", Compiler), ("level", Level)):
            given = getattr(self, name)
            if given not in get_args(allowed):
                raise ValueError(f"{name}: expected {', '.join(get_args(allowed))}, got {given!r}")

    def __str__(self) -> str:
        return f"{'GCC' if self.compiler == 'gcc' else COMPILER}, -{self.level}"

    def flags(self, core: Core) -> list[str]:
        """Arguments for C without a library."""
        level = f"-{self.level}"
        if self.compiler == "zig":
            return [*bare_flags(core, bare_triple(core)), level]
        return [*_gnu_core(core), *_FLAGS, *_BARE, level]

    def link(self, arguments: list[str], into: Path, what: object, core: Core) -> None:
        """Compile and link in a folder.

        Raises:
            BoardError: There is no such compiler, or it does not take ``what``.
        """
        if self.compiler == "zig":
            run_compiler(arguments, into, what, seconds=_SECONDS)
        else:
            run_compiler([*arguments, "-lgcc"], into, what, gnu_compiler(core), _SECONDS)


#: What builds firmware unless another is named.
DEFAULT = Toolchain()


def gnu_compiler(core: Core) -> str:
    """The path of GNU's compiler for a core.

    Raises:
        BoardError: This machine has none.
    """
    program, package = _PACKAGES[core.family]
    found = find_program(program)
    if found is None:
        raise BoardError(f"there is no {program}: it is in Debian's and Ubuntu's {package}")
    return found


def has_gnu_compiler(processor: str) -> bool:
    """Whether this machine has GNU's compiler for a core."""
    names = _PACKAGES.get(CORES[processor].family)
    return names is not None and find_program(names[0]) is not None


def _gnu_core(core: Core) -> list[str]:
    if core.family == "esp":
        letters = core.clang.removeprefix("generic_rv32").replace("+", "")
        march = "rv32i" + "".join(one for one in "mac" if one in letters)
        return [f"-march={march}", "-mabi=ilp32"]
    floats = ["-mfloat-abi=hard"] if core.has_fpu else ["-mfloat-abi=soft"]
    return [f"-mcpu={core.gcc or core.name}", "-mthumb", *floats]
