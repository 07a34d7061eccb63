"""Generates the C source of the extension module from the headers in ``csrc/include``.

Run by the build, not at run time: ``python _build.py FOLDER OUTPUT``. The header of the boundary to
users' kernels is with those, in ``src/arenite/kernels/shim``: their compiler reads it too.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cffi import FFI

INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
PREPROCESSOR = re.compile(r"^#.*$", re.MULTILINE)
_KERNEL = Path(__file__).resolve().parents[1] / "kernels" / "shim" / "kernel.h"
#: What a user's kernel calls in its host (``ak_host``), as functions of Python's; and the counter
#: of an emulated core's blocks.
CALLBACKS = """
extern "Python" {
  void ar_beat(void *user);
  void *ak_persistent(void *user, uint64_t bytes);
  int32_t ak_scratch(void *user, uint64_t bytes);
  void *ak_scratch_data(void *user, int32_t handle);
  int32_t ak_temp_tensor(void *user, int32_t index);
  int32_t ak_free_tensor(void *user, int32_t index);
  void *ak_temp_buffer(void *user, uint64_t bytes, uint64_t alignment);
  int32_t ak_free_buffer(void *user, void *buffer);
  int32_t ak_tensor_of(void *user, int32_t index, ak_tensor *out);
  void *ak_decompression(void *user, uint64_t bytes);
  int32_t ak_reset_decompression(void *user);
}
"""


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
    ffi, kernel = FFI(), _KERNEL.read_text("utf-8")
    ffi.cdef(PREPROCESSOR.sub("", "\n".join([*found.values(), kernel])) + CALLBACKS)
    includes = "".join(f'#include "{name}"\n' for name in found) + kernel
    ffi.set_source("arenite.native._engine", includes)
    ffi.emit_c_code(str(output))


if __name__ == "__main__":
    generate(Path(sys.argv[1]), Path(sys.argv[2]))
