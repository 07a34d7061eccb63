"""Where TFLM's sources and those of its third parties lie in a folder, and what they call things.

Taken are what TFLM's ``create_tflm_tree.py`` writes; a checkout whose ``tools/make/downloads`` are
filled (as ``make -f tensorflow/lite/micro/tools/make/Makefile OPTIMIZED_KERNEL_DIR=cmsis_nn
third_party_downloads`` does); a vendor's component with its ``third_party``; and headers alone next
to an archive of the rest (``include/`` and ``lib/``).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arenite.errors import KernelBuildError
from arenite.files import read_source

_MICRO = Path("tensorflow/lite/micro")
_CONTEXT = _MICRO / "micro_context.h"
#: Headers whose text says what a tree is like.
TEXTS = (_CONTEXT, *(_MICRO / name for name in ("micro_log.h", "micro_common.h", "debug_log.h")))
#: Where third parties may lie, in this order.
_PLACES = (Path("third_party"), _MICRO / "tools/make/downloads", Path())
#: A file of each, from the folder that goes on the include path.
_PARTIES = {
    "flatbuffers/include": "flatbuffers/flatbuffers.h",
    "gemmlowp": "fixedpoint/fixedpoint.h",
    "ruy": "ruy/profiler/instrumentation.h",
}
#: Those that only some operators, or boards, need.
_MORE = {"kissfft": "kiss_fft.h"}
#: Until October 2022 it was a folder of CMSIS.
_CMSIS_NN = {"cmsis_nn": "Include/arm_nnfunctions.h"}
_IN_CMSIS = {"cmsis/CMSIS/NN": "Include/arm_nnfunctions.h"}
#: What CMSIS-NN of before 2023 includes of CMSIS.
_CMSIS = {
    "cmsis/CMSIS/Core/Include": "cmsis_compiler.h",
    "cmsis/CMSIS/DSP/Include": "arm_math_types.h",
}
#: The C++ that sources compile as, unless something speaks against it.
STANDARD = "c++17"
_NAMESPACE = re.compile(r"^namespace\s+(\w+)\s*\{", re.M)


@dataclass(frozen=True)
class Tree:
    """TFLM's sources.

    Attributes:
        root: What includes such as ``"tensorflow/lite/micro/..."`` begin at.
        includes: All folders of the include path, the root first.
        cmsis_nn: The folder with CMSIS-NN's ``Include`` and ``Source``; None where there is none.
        archive: A library of this host with what the sources would give; None where they do.
    """

    root: Path
    includes: tuple[Path, ...]
    cmsis_nn: Path | None = None
    archive: Path | None = None

    def text(self, name: str | Path) -> str:
        """A file's text; empty where there is no such file."""
        path = self.root / name
        return read_source(path) if path.is_file() else ""

    @cached_property
    def namespace(self) -> str:
        """The C++ namespace of TFLM: ``tflite``, or a vendor's name for it."""
        return next(iter(_NAMESPACE.findall(self.text(_CONTEXT))), "tflite")

    @cached_property
    def prefix(self) -> str:
        """The folder in front of the tree's own includes: none, or a vendor's."""
        return _prefix(self.root)

    @cached_property
    def standard(self) -> str:
        """The C++ that it compiles as: a newer one where its FlatBuffers has a wrong span.

        FlatBuffers of 2021 and 2022 assigns to a constant there, which clang takes no more; with
        C++20 it has the library's.
        """
        texts = (
            read_source(folder / "flatbuffers/stl_emulation.h")
            for folder in self.includes
            if (folder / "flatbuffers/stl_emulation.h").is_file()
        )
        is_wrong = any(
            "const size_type count_;" in text and "count_ = other.count_;" in text for text in texts
        )
        return "c++20" if is_wrong else STANDARD

    @cached_property
    def log_takes_list(self) -> bool:
        """Whether ``DebugLog`` is called with what the format asks for, as since 2023."""
        return "va_list" in self.text(_MICRO / "debug_log.h")

    @cached_property
    def defines(self) -> tuple[str, ...]:
        """Macros that tell the shim about this tree, by name."""
        context = self.text(_CONTEXT)
        found = {
            "AK_LOG_TAKES_LIST": self.log_takes_list,
            "AK_COMPRESSION_KNOWN": "USE_TFLM_COMPRESSION" in context,
            "AK_DECOMPRESSION_MEMORY": "AllocateDecompressionMemory" in context,
            "AK_CONCRETE": "explicit MicroContext(" in context,
        }
        return tuple(name for name, is_so in found.items() if is_so)


def find_tree(folder: str | os.PathLike[str], *, needs_cmsis_nn: bool = True) -> Tree:
    """The sources in a folder.

    Args:
        folder: What holds them, or holds ``include`` with them.
        needs_cmsis_nn: Whether CMSIS-NN must be there, as for a board.

    Raises:
        KernelBuildError: Something is missing; names all of it.
    """
    root = Path(os.fspath(folder)).resolve()
    if not (root / _MICRO).is_dir() and (root / "include" / _MICRO).is_dir():
        return _headers_alone(root)
    wanted = _CMSIS_NN | _IN_CMSIS | _CMSIS | _PARTIES | _MORE
    found = {party: _party(root, party, file) for party, file in wanted.items()}
    older = found.pop("cmsis/CMSIS/NN")
    cmsis = None if older is None else older.parents[1]
    found["cmsis_nn"] = found["cmsis_nn"] or older
    required = [*(_CMSIS_NN if needs_cmsis_nn else ()), *_PARTIES]
    missing = [party for party in required if found[party] is None]
    if not (root / _MICRO / "micro_interpreter.h").is_file():
        missing.insert(0, str(_MICRO))
    if missing:
        raise KernelBuildError(
            f"'{folder}' has no {', '.join(missing)}: expected what TFLM's create_tflm_tree.py "
            "writes with OPTIMIZED_KERNEL_DIR=cmsis_nn, or a checkout of tflite-micro with its "
            f"third parties in {' or '.join(str(place) for place in _PLACES[:2])}"
        )
    parties = [path for path in found.values() if path is not None]
    cmsis_nn = found["cmsis_nn"]
    own = () if cmsis_nn is None else (cmsis_nn / "Include",)
    around = (*((root.parent,) if _prefix(root) else ()), *((cmsis,) if cmsis else ()))
    return Tree(root, (root, *around, *parties, *own), cmsis_nn)


def _headers_alone(root: Path) -> Tree:
    """Headers, and an archive for this host beside them."""
    include = root / "include"
    archives = sorted((root / "lib").glob("libhost*.a"))
    if not archives:
        raise KernelBuildError(f"'{root}' has headers of TFLM's: expected lib/libhost*.a beside")
    tree = Tree(include, (include,), archive=archives[0])
    if "NO_INTERPRETER" in tree.text("tensorflow/lite/kernels/kernel_util.h"):
        raise KernelBuildError(
            f"'{root}' is for programs without an interpreter: its library has a MicroContext of "
            "five function pointers, and tensors without bytes, is_variable and allocation_type. "
            "Expected one for kernels, such as the package xmos-ai-tools==1.3.1"
        )
    return tree


def _prefix(root: Path) -> str:
    """``"edge-impulse-sdk/"`` where includes say it, and the folder is called so."""
    path, prefix = root / _CONTEXT, f"{root.name}/"
    text = read_source(path) if path.is_file() else ""
    return prefix if f'#include "{prefix}tensorflow/' in text else ""


def _party(root: Path, party: str, file: str) -> Path | None:
    folders = (root / place / party for place in _PLACES)
    return next((path for path in folders if (path / file).is_file()), None)
