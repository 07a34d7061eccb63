"""zig's clang for a bare core: flags, objects, a linked program.

Exported folders, those with users' C++, and TFLM's own interpreter are built with it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from arenite.c_text import fill
from arenite.cores import CORES, Core
from arenite.emulator.elf import Image, read_elf
from arenite.errors import BoardError
from arenite.files import read_file
from arenite.processes.children import run_program
from arenite.processes.paths import find_package

#: What compiling one program may take: the first with TFLM makes C's and C++'s libraries too.
_SECONDS, _MEMORY = 1800.0, 8 << 30
_FLAGS = ("-std=c11", "-Os", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic")
_BARE = (
    "-Wno-unused-command-line-argument",  # what assembly has no use for
    "-ffreestanding",
    "-fno-exceptions",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
)


@dataclass(frozen=True)
class Headers:
    """Headers for a folder's C++: TFLM's sources, and those that users' kernels include."""

    tflm: Path
    include: tuple[Path, ...] = ()
    define: Mapping[str, str | None] = field(default_factory=dict)


def bare_flags(core: Core, triple: str) -> list[str]:
    """Arguments for C without a library."""
    flags = [f"--target={triple}", f"-mcpu={core.clang}", *_FLAGS, *_BARE]
    # Clang 22 miscounts the turns of some loops over three elements that it makes vectors of.
    return [*flags, "-fno-vectorize"] if core.instructions == "mve" else flags


def bare_triple(core: Core) -> str:
    """Clang's name of the target."""
    if core.family == "esp":
        return "riscv32-freestanding-none"
    return f"thumb-freestanding-eabi{'hf' if core.has_fpu else ''}"


def compiled_objects(files: Sequence[Path], into: Path, processor: str, triple: str) -> list[Path]:
    """Objects of a folder's C, for a program that has more.

    Raises:
        BoardError: The compiler does not take it.
    """
    flags, found = bare_flags(CORES[processor], triple), []
    for path in files:
        found.append(into / f"folder_{path.stem}.o")
        arguments = [*flags, "-fshort-enums", "-c", str(path), "-o", str(found[-1])]
        run_compiler(arguments, into, path.name)
    return found


def linked(arguments: Sequence[str], into: Path, what: object) -> Image:
    """Program that zig's clang makes of these arguments in the folder ``into``.

    Raises:
        BoardError: There is no compiler, or it does not take ``what``.
    """
    run_compiler([*arguments, "-o", "firmware.elf"], into, what)
    return read_elf(read_file(into / "firmware.elf"))


def run_compiler(
    arguments: Sequence[str],
    into: Path,
    what: object,
    other: str | None = None,
    seconds: float = _SECONDS,
) -> None:
    """Run zig's clang in a folder, or another compiler, for some seconds at most.

    Raises:
        BoardError: There is none, or it does not take ``what``.
    """
    command = [*_zig(), *arguments] if other is None else [other, *arguments]
    try:
        done = run_program(*command, folder=into, timeout=seconds, memory=_MEMORY)
    except TimeoutError:
        raise BoardError(
            f"the compiler has not come to its end with '{what}' in {seconds:g} s"
        ) from None
    if done.code:
        raise BoardError(f"the compiler refused '{what}':\n{done.err[-4000:]}")


def _zig() -> list[str]:
    compiler = find_package("ziglang")
    if compiler is None:
        raise BoardError(
            "building firmware needs ziglang: pip install ziglang==0.17.0 'unicorn>=2.1,<3' "
            "(the extra board)"
        )
    return [os.path.join(compiler, "zig.exe" if os.name == "nt" else "zig"), "cc"]


def link_script(text: str, memory: ModuleType) -> str:
    """A linker's script for the memory of an emulator's board."""
    return fill(
        text,
        flash=hex(memory.FLASH),
        flash_bytes=memory.FLASH_BYTES,
        ram=hex(memory.RAM),
        ram_bytes=memory.RAM_BYTES,
    )
