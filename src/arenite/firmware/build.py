"""An exported folder as a program for a bare core, with zig's clang (extra ``board``)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from arenite.c_text import fill, text_file
from arenite.cores import CORES, DEFAULT, Core, emulated
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
#: Suffixes of users' kernels.
CPP = (".cc", ".cpp", ".cxx")
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


@dataclass(frozen=True)
class Headers:
    """What a folder's C++ is compiled against: TFLM's sources, and what users' kernels need."""

    tflm: Path
    include: tuple[Path, ...] = ()
    define: Mapping[str, str | None] = field(default_factory=dict)


def build(
    folder: Path, into: Path, processor: str = DEFAULT, headers: Headers | None = None
) -> Image:
    """Compile and link an exported folder; files are written to ``into`` only.

    Args:
        folder: What was exported.
        into: A folder.
        processor: A core that there is an emulated board for.
        headers: What kernels in C++ are compiled against, where the folder has some.

    Raises:
        BoardError: There is no compiler, or it does not take the folder.
    """
    core = emulated_core(processor)
    save(into / "link.ld", (link_script(_LINK, qemu if core.qemu else machine) + "\n").encode())
    save(into / "board.c", (_BOARD + (qemu.PROGRAM if core.qemu else "")).encode())
    if not (folder / SOURCES).is_dir():
        raise BoardError(f"'{folder}' has no {SOURCES}")
    paths = sorted(path.resolve() for path in (folder / SOURCES).iterdir())
    files = [path for path in paths if path.suffix in (".c", ".S")]
    own = [path for path in paths if path.suffix in CPP]
    if own:
        return _with_tflm([*files, into / "board.c"], own, into, core, headers)
    command = [*_flags(core, _triple(core)), *_LINKED, *map(str, files), "board.c"]
    return linked(command, into, folder)


def _with_tflm(
    files: Sequence[Path], own: Sequence[Path], into: Path, core: Core, headers: Headers | None
) -> Image:
    if headers is None:
        raise BoardError(
            "the folder has kernels of yours in C++: expected the TFLM that they are written for, "
            "--tflm PATH"
        )
    if core.family != "cortex-m":
        raise BoardError(f"kernels of yours in C++ run on a Cortex-M here, got {core.name}")
    from arenite.firmware.compiled.build import build_with_tflm  # noqa: PLC0415 - needs the engine

    return build_with_tflm(files, own, into, core.name, headers)


def _flags(core: Core, triple: str) -> list[str]:
    flags = [f"--target={triple}", f"-mcpu={core.clang}", *_FLAGS, *_BARE]
    # Clang 22 miscounts the turns of some loops over three elements that it makes vectors of.
    return [*flags, "-fno-vectorize"] if core.instructions == "mve" else flags


def compiled_objects(files: Sequence[Path], into: Path, processor: str, triple: str) -> list[Path]:
    """Objects of a folder's C, for a program that has more.

    Raises:
        BoardError: The compiler does not take it.
    """
    flags, found = _flags(CORES[processor], triple), []
    for path in files:
        found.append(into / f"folder_{path.stem}.o")
        arguments = [*flags, "-fshort-enums", "-c", str(path), "-o", str(found[-1])]
        run_compiler(arguments, into, path.name)
    return found


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
    run_compiler([*arguments, "-o", "firmware.elf"], into, what)
    return read_elf((into / "firmware.elf").read_bytes())


def run_compiler(arguments: Sequence[str], into: Path, what: object) -> None:
    """Run zig's clang in a folder.

    Raises:
        BoardError: There is none, or it does not take ``what``.
    """
    compiler = find_package("ziglang")
    if compiler is None:
        raise BoardError(
            "building firmware needs ziglang: pip install ziglang==0.17.0 'unicorn>=2.1,<3' "
            "(the extra board)"
        )
    zig = os.path.join(compiler, "zig.exe" if os.name == "nt" else "zig")
    done = run_program(zig, "cc", *arguments, folder=into)
    if done.code:
        raise BoardError(f"the compiler refused '{what}':\n{done.err[-4000:]}")


def link_script(text: str, memory: ModuleType) -> str:
    """A linker's script for the memory of an emulator's board."""
    return fill(
        text,
        flash=hex(memory.FLASH),
        flash_bytes=memory.FLASH_BYTES,
        ram=hex(memory.RAM),
        ram_bytes=memory.RAM_BYTES,
    )
