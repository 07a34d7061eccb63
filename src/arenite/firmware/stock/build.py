"""TFLM's sources as code of an emulated core: the compiler's flags, and what is linked.

Facts: TFLM's ``cortex_m_generic_makefile.inc`` and ``cmsis_nn.inc``.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from arenite.cores import CORES, DEFAULT
from arenite.emulator.elf import Image
from arenite.errors import BoardError
from arenite.firmware.compiler.zig import linked, run_compiler
from arenite.kernels.build import Origin
from arenite.kernels.closure import sources_that_define
from arenite.kernels.compiler import undefined
from arenite.kernels.tree import STANDARD, Tree

_DEFINED = (
    *("-DTF_LITE_STATIC_MEMORY", "-DTF_LITE_DISABLE_X86_NEON"),
    *("-DCMSIS_NN", "-DKERNELS_OPTIMIZED_FOR_SPEED"),
    # FlatBuffers, unless TFLM's Makefile has patched it, expects strtoll_l, which musl lacks.
    "-DFLATBUFFERS_LOCALE_INDEPENDENT=0",
)
#: Enumerations as small as they can be, as for bare cores (AAPCS, GCC's ``arm-none-eabi``): structs
#: in the arena have them.
_FLAGS = (
    *("-fshort-enums", "-O2", "-w", "-fno-rtti", "-fno-exceptions", "-fno-threadsafe-statics"),
    *("-fno-unwind-tables", "-fno-asynchronous-unwind-tables"),
    *("-ffunction-sections", "-fdata-sections", "-funsigned-char", "-fomit-frame-pointer"),
    "-fno-access-control",
)
#: How often the linker may be asked anew what it still lacks.
_ROUNDS = 6


def triple(processor: str) -> str:
    """Clang's name of the core with a C library."""
    return f"thumb-linux-musleabi{'hf' if CORES[processor].has_fpu else ''}"


def core_flags(processor: str) -> list[str]:
    """Arguments of the compiler for TFLM and what goes with it."""
    core = CORES[processor]
    flags = [f"--target={triple(processor)}", f"-mcpu={core.clang}", *_FLAGS, *_DEFINED]
    # As for exported firmware: clang 22 miscounts some loops that it makes vectors of.
    return [*flags, "-fno-vectorize"] if core.instructions == "mve" else flags


def tree_flags(tree: Tree, origins: Iterable[Origin]) -> list[str]:
    """Include folders of a tree and of users' kernels, and their macros."""
    requests = list({id(one.request): one.request for one in origins}.values())
    folders = [*tree.includes, *(path for request in requests for path in request.include)]
    macros = {name: value for request in requests for name, value in request.define.items()}
    defined = [f"-D{name}={value}" for name, value in macros.items() if value is not None]
    return [*(f"-I{path}" for path in folders), *defined]


def files_of(origins: Iterable[Origin]) -> list[Path]:
    """The sources of users' kernels, each once."""
    requests = (one.request for one in origins)
    return [*dict.fromkeys(path for one in requests for path in (*one.files, *one.sources))]


def linked_with_tree(
    tree: Tree,
    processor: str,
    sources: Sequence[Path],
    folder: Path,
    *,
    flags: Sequence[str],
    linking: Sequence[str],
) -> Image:
    """All sources, and those of the tree that the linker turns out to lack.

    Args:
        tree: TFLM's sources.
        processor: The core.
        sources: What is compiled.
        folder: Where to work.
        flags: The compiler's arguments.
        linking: The linker's, and objects that are there.

    Raises:
        BoardError: The compiler does not take them, or nothing defines what they need.
    """
    wanted, objects = dict.fromkeys(sources), dict[Path, str]()
    for _ in range(_ROUNDS):
        try:
            files = _compiled(tree, wanted, objects, processor, flags=flags, folder=folder)
            arguments = [*files, *linking, "-lc++", "-static"]
            return linked(arguments, folder, tree.root)
        except BoardError as error:
            lacking = undefined(str(error))
            new = [path for path in sources_that_define(tree, lacking) if path not in wanted]
            if not new:
                raise
            wanted |= dict.fromkeys(new)
    raise BoardError(f"'{tree.root}' has no sources for {', '.join(lacking)}")


def _compiled(
    tree: Tree,
    wanted: Iterable[Path],
    objects: dict[Path, str],
    processor: str,
    *,
    flags: Sequence[str],
    folder: Path,
) -> list[str]:
    """Arguments that make the linker compile sources; objects of what needs arguments of its own.

    That is a core without a C library: zig's (musl) has an instruction that Armv8.1-M leaves to
    others, so it is that of a core before. And it is C beside C++ of a certain standard.
    """
    cpp, new = f"-std={tree.standard}", [path for path in wanted if path not in objects]
    if CORES[processor].instructions != "mve":
        if tree.standard == STANDARD:
            return [*flags, *map(str, wanted)]
        c_files = [path for path in new if path.suffix == ".c"]
        together = f"c_files_{len(objects)}.o"
        run_compiler([*flags, "-r", *map(str, c_files), "-o", together], folder, tree.root)
        objects |= dict.fromkeys(c_files, together)
        files = [str(path) for path in wanted if path not in objects]
        return [*flags, cpp, *files, *dict.fromkeys(objects.values())]

    def compile_one(source: Path) -> None:
        into = Path(tempfile.mkdtemp(dir=folder)) / f"{source.stem}.o"
        own = [] if source.suffix == ".c" else [cpp]
        # -lc++: its headers.
        arguments = [*flags, *own, "-lc++", "-c", str(source), "-o", str(into)]
        run_compiler(arguments, folder, source)
        objects[source] = str(into)

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        list(threads.map(compile_one, new))
    before = f"-mcpu={CORES[DEFAULT].clang}"
    return [*(before if one.startswith("-mcpu=") else one for one in flags), *objects.values()]
