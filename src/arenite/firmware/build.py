"""An exported folder as a program for a bare core, with zig's clang (extra ``board``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arenite.c_text import text_file
from arenite.cores import DEFAULT, Core, emulated
from arenite.emulator import machine, qemu
from arenite.emulator.elf import Image, read_elf
from arenite.errors import BoardError
from arenite.files import read_file, save
from arenite.firmware.compiler.toolchain import DEFAULT as ZIG
from arenite.firmware.compiler.toolchain import Toolchain
from arenite.firmware.compiler.zig import Headers, link_script
from arenite.firmware.folder.taken import taken

#: All that is kept is what the folder has; nothing starts by itself.
_LINK = text_file(__name__, "build.ld")

#: What the machine watches, and what compilers take for granted.
_BOARD = text_file(__name__, "build.c")

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


def build(
    folder: Path,
    into: Path,
    processor: str = DEFAULT,
    headers: Headers | None = None,
    toolchain: Toolchain = ZIG,
) -> Image:
    """Compile and link an exported folder; files are written to ``into`` only.

    Args:
        folder: What was exported.
        into: A folder.
        processor: A core that there is an emulated board for.
        headers: What kernels in C++ are compiled against, where the folder has some.
        toolchain: The compiler; zig's alone takes C++.

    Raises:
        BoardError: There is no compiler, or it does not take the folder.
    """
    core = emulated_core(processor)
    save(into / "link.ld", (link_script(_LINK, qemu if core.qemu else machine) + "\n").encode())
    save(into / "board.c", (_BOARD + (qemu.PROGRAM if core.qemu else "")).encode())
    paths = taken(folder, into)
    files = [path for path in paths if path.suffix in (".c", ".S")]
    own = [path for path in paths if path.suffix in CPP]
    if own:
        if toolchain != ZIG:
            raise BoardError("a folder with kernels of yours in C++ is built by zig, with -Os")
        return _with_tflm([*files, into / "board.c"], own, into, core, headers)
    command = [*toolchain.flags(core), *_LINKED, *map(str, files), "board.c"]
    toolchain.link([*command, "-o", "firmware.elf"], into, folder, core)
    return read_elf(read_file(into / "firmware.elf"))


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
