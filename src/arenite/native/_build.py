"""Generates the C source of the extension module from the headers in ``csrc/include``.

Run by the build, not at run time: ``python _build.py FOLDER OUTPUT``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cffi import FFI

INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
PREPROCESSOR = re.compile(r"^#.*$", re.MULTILINE)


def headers(folder: Path) -> dict[str, str]:
    """The text of every header by its name, each behind those that it includes."""
    ordered: dict[str, str] = {}

    def add(name: str) -> None:
        if name in ordered:
            return
        text = (folder / name).read_text("utf-8")
        for included in INCLUDE.findall(text):
            add(included)
        ordered[name] = text

    for path in sorted(folder.rglob("*.h")):
        add(path.relative_to(folder).as_posix())
    return ordered


def generate(folder: Path, output: Path) -> None:
    """Write the extension module's source."""
    found = headers(folder)
    ffi = FFI()
    ffi.cdef(PREPROCESSOR.sub("", "\n".join(found.values())))
    includes = "".join(f'#include "{name}"\n' for name in found)
    ffi.set_source("arenite.native._engine", includes)
    ffi.emit_c_code(str(output))


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(sys.argv[2]))
