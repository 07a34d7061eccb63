"""An exported folder with users' kernels as a program of an emulated core: linked with their TFLM.

What the folder has is compiled as without them, but for the C library that TFLM needs; kernels and
TFLM's sources as the stock board's are (:mod:`arenite.firmware.stock.build`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arenite.c_text import fill, text_file
from arenite.cores import CORES
from arenite.emulator import machine, qemu
from arenite.emulator.elf import Image
from arenite.errors import BoardError
from arenite.files import save
from arenite.firmware.compiler.zig import Headers, compiled_objects, link_script
from arenite.firmware.stock.build import core_flags, linked_with_tree, triple
from arenite.kernels.tree import find_tree

#: All of the folder's C stays, and of the rest what it reaches.
_LINK = text_file(__name__, "build.ld")
#: What TFLM expects of a platform, and what starts C++.
_BOARD = text_file(__name__, "board.cc")
_LINKED = ("-nostartfiles", "-Wl,-T,link.ld", "-Wl,-e,board_begin", "-Wl,--gc-sections")
#: Of the tree, what kernels' calls end in; the linker says what else.
_BEGIN = ("tensorflow/lite/micro/micro_context.cc", "tensorflow/lite/micro/kernels/kernel_util.cc")


def build_with_tflm(
    c_files: Sequence[Path], own: Sequence[Path], into: Path, processor: str, headers: Headers
) -> Image:
    """Compile and link a folder's sources; files are written to ``into`` only.

    Args:
        c_files: Its C and assembly, the board's with them.
        own: Its C++.
        into: A folder.
        processor: A Cortex-M that is emulated.
        headers: What the C++ is compiled against.

    Raises:
        BoardError: The compiler does not take them.
        KernelBuildError: The tree is none.
    """
    tree = find_tree(headers.tflm, needs_cmsis_nn=False)
    memory = qemu if CORES[processor].qemu else machine
    save(into / "link.ld", link_script(_LINK, memory).encode())
    save(into / "board_cc.cc", fill(_BOARD, takes_list=int(tree.log_takes_list)).encode())
    objects = compiled_objects(c_files, into, processor, triple(processor))
    folders = [*tree.includes, *headers.include, *{path.parent for path in own}]
    macros = (f"-D{name}={value}" for name, value in headers.define.items() if value is not None)
    arguments = [*core_flags(processor), *macros]
    arguments += [f"-I{path}" for path in folders]
    begin = [tree.root / name for name in _BEGIN if (tree.root / name).is_file()]
    if tree.archive is not None:
        raise BoardError(f"'{tree.root}' has headers alone: a core needs TFLM's sources")
    sources = [*own, into / "board_cc.cc", *begin]
    linking = [*_LINKED, *map(str, objects)]
    return linked_with_tree(tree, processor, sources, into, flags=arguments, linking=linking)
