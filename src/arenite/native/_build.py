"""Generates the C source of the extension module from ``csrc/include/arenite.h``.

Run by the build, not at run time: ``python _build.py HEADER OUTPUT``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI


def declarations(header: str) -> str:
    """The part of the header between the ``[cdef]`` marks, which cffi reads."""
    return header.split("[cdef]", 1)[1].split("*/", 1)[1].split("/* [/cdef]", 1)[0]


def generate(header: Path, output: Path) -> None:
    """Write the extension module's source."""
    ffi = FFI()
    ffi.cdef(declarations(header.read_text()))
    ffi.set_source("arenite.native._engine", '#include "arenite.h"')
    ffi.emit_c_code(str(output))


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(sys.argv[2]))
