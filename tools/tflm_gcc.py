"""TFLM with CMSIS-NN, compiled and linked by Arm GCC as TFLM's makefile does.

Objects are kept in a folder, under a digest of all that decides on them.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arenite.cores import CORES
from arenite.errors import BoardError
from arenite.files import save
from arenite.kernels.tree import Tree

#: As TFLM's ``Makefile`` (its default ``BUILD_TYPE``) and ``cortex_m_generic_makefile.inc`` have
#: them, but the interpreter is built for speed as well.
_FLAGS = (
    *("-O2", "-mlittle-endian", "-funsigned-char", "-fomit-frame-pointer", "-w"),
    *("-ffunction-sections", "-fdata-sections", "-fno-unwind-tables", "-fmessage-length=0"),
    *("-fno-asynchronous-unwind-tables", "-DTF_LITE_STATIC_MEMORY", "-DTF_LITE_DISABLE_X86_NEON"),
    *("-DCMSIS_NN", "-DKERNELS_OPTIMIZED_FOR_SPEED", "-DTF_LITE_MCU_DEBUG_LOG"),
)
_CXX = ("-std=c++17", "-fno-rtti", "-fno-exceptions", "-fno-threadsafe-statics")
#: What takes most of the time to compile, and is compiled once; objects stay the same.
_HEADERS = """\
#include "tensorflow/lite/schema/schema_generated.h"
#include "tensorflow/lite/kernels/internal/common.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_allocator.h"
"""


class Build(NamedTuple):
    """How TFLM is compiled: its sources, the core, where objects are kept, and further flags."""

    tree: Tree
    processor: str
    work: Path
    flags: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where objects of the core are kept."""
        return self.work / self.processor

    @property
    def machine(self) -> list[str]:
        """GCC's options for the core, as TFLM's makefile has them."""
        single = self.processor in ("cortex-m4", "cortex-m7")
        floats = ["hard", f"-mfpu={'fpv4-sp-d16' if single else 'auto'}"]
        abi = floats if CORES[self.processor].has_fpu else ["soft"]
        return [f"-mcpu={self.processor}", "-mthumb", f"-mfloat-abi={abi[0]}", *abi[1:]]

    def prepare(self) -> None:
        """Compile what most sources include."""
        headers = self.folder / "headers.h"
        self.folder.mkdir(parents=True, exist_ok=True)
        save(headers, _HEADERS.encode())
        made = self.compiled(headers, *_CXX, "-x", "c++-header")
        (self.folder / "headers.h.gch").unlink(missing_ok=True)
        (self.folder / "headers.h.gch").hardlink_to(made)

    def compiled(self, source: Path, *more: str) -> Path:
        """An object file, or precompiled headers, made once.

        Raises:
            BoardError: GCC is missing, or does not take the source.
        """
        options = [*self.machine, *_FLAGS, *self.flags, *more]
        options += [f"-I{path}" for path in self.tree.includes]
        if source.suffix == ".cc":
            options += [*_CXX, "-include", str(self.folder / "headers.h")]
        text = f"{source} {options} {_HEADERS}".encode() + source.read_bytes()
        made = self.folder / f"{source.stem}-{hashlib.sha256(text).hexdigest()[:16]}.o"
        if not made.exists():
            run("arm-none-eabi-gcc", *options, "-c", str(source), "-o", f"{made}.new")
            Path(f"{made}.new").rename(made)
        return made

    def linked(self, objects: Iterable[Path], *more: str) -> Path:
        """The program of these objects, without start-up code.

        Raises:
            BoardError: GCC is missing, or something is undefined.
        """
        elf = self.folder / "firmware.elf"
        run(
            *("arm-none-eabi-g++", *self.machine, "-nostartfiles", "-specs=nosys.specs"),
            *("-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", "-Wl,--defsym=__dso_handle=0"),
            *(*more, *map(str, objects), "-lm", "-o", str(elf)),
        )
        return elf


def run(*command: str) -> str:
    """What a program prints.

    Raises:
        BoardError: It is missing, or fails; with what it printed.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BoardError(f"expected {command[0]} to be installed") from None
    if done.returncode:
        raise BoardError(f"{' '.join(command)[:200]}\n{done.stderr[-8000:]}")
    return done.stdout
