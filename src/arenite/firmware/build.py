"""An exported folder as a program for a bare core, with zig's clang (extra ``board``)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from arenite.c_text import fill, text_file
from arenite.cores import DEFAULT, Core, emulated
from arenite.emulator import machine, qemu
from arenite.emulator.elf import Image, read_elf
from arenite.errors import BoardError
from arenite.files import save
from arenite.firmware.text.project import SOURCES
from arenite.processes.children import run_program
from arenite.processes.paths import find_package

#: All that is kept is what the folder has; nothing starts by itself.
_LINK = text_file(__name__, "build.ld")

#: What the machine watches, and what compilers take for granted.
_BOARD = text_file(__name__, "build.c")

_FLAGS = ("-std=c11", "-Os", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic")
_BARE = (
    "-Wno-unused-command-line-argument",  # what assembly has no use for
    "-ffreestanding",
    "-fno-exceptions",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
)
_LINKED = ("-Wl,-T,link.ld", "-Wl,--no-gc-sections")


def emulated_core(processor: str) -> Core:
    """The core of that name that a board is emulated with.

    Raises:
        BoardError: There is no such board.
    """
    cores = {core.name: core for core in emulated()}
    if processor not in cores:
        raise BoardError(f"expected one of {', '.join(cores)}, got {processor!r}")
    return cores[processor]


def build(folder: Path, into: Path, processor: str = DEFAULT) -> Image:
    """Compile and link an exported folder; files are written to ``into`` only.

    Raises:
        BoardError: There is no compiler, or it does not take the folder.
    """
    core = emulated_core(processor)
    save(into / "link.ld", (link_script(_LINK, qemu if core.qemu else machine) + "\n").encode())
    save(into / "board.c", (_BOARD + (qemu.PROGRAM if core.qemu else "")).encode())
    vectors = core.instructions == "mve"
    command = [f"--target={_triple(core)}", f"-mcpu={core.clang}", *_FLAGS, *_BARE, *_LINKED]
    # Clang 22 miscounts the turns of some loops over three elements that it makes vectors of.
    command += ["-fno-vectorize"] if vectors else []
    if not (folder / SOURCES).is_dir():
        raise BoardError(f"'{folder}' has no {SOURCES}")
    files = sorted(path.resolve() for path in (folder / SOURCES).iterdir() if _is_source(path))
    return linked([*command, *map(str, files), "board.c"], into, folder)


def _triple(core: Core) -> str:
    """Clang's name of the target."""
    if core.family == "esp":
        return "riscv32-freestanding-none"
    return f"thumb-freestanding-eabi{'hf' if core.instructions == 'mve' else ''}"


def linked(arguments: Sequence[str], into: Path, what: object) -> Image:
    """Program that zig's clang makes of these arguments in the folder ``into``.

    Raises:
        BoardError: There is no compiler, or it does not take ``what``.
    """
    compiler = find_package("ziglang")
    if compiler is None:
        raise BoardError(
            "building firmware needs ziglang: pip install ziglang==0.17.0 'unicorn>=2.1,<3' "
            "(the extra board)"
        )
    zig = os.path.join(compiler, "zig.exe" if os.name == "nt" else "zig")
    done = run_program(zig, "cc", *arguments, "-o", "firmware.elf", folder=into)
    if done.code:
        raise BoardError(f"the compiler refused '{what}':\n{done.err[-4000:]}")
    return read_elf((into / "firmware.elf").read_bytes())


def link_script(text: str, memory: ModuleType) -> str:
    """A linker's script for the memory of an emulator's board."""
    return fill(
        text,
        flash=hex(memory.FLASH),
        flash_bytes=memory.FLASH_BYTES,
        ram=hex(memory.RAM),
        ram_bytes=memory.RAM_BYTES,
    )


def _is_source(path: Path) -> bool:
    return path.suffix in (".c", ".S")
