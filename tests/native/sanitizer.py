"""A pytest plugin: the native engine is the one built with sanitizers. See ``tools/sanitize.py``.

AddressSanitizer knows where heap blocks end. Tensors of a heap interpreter are blocks of their
own; here the memory of a program is made so as well: what a kernel reads or writes outside its
tensors, its plan or the workspace ends the process with a report.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import weakref
from typing import Any

import numpy as np

PROCESS = ctypes.CDLL(None)
FORBID = PROCESS["__asan_poison_memory_region"]


def load_engine(path: str) -> None:
    """Put the extension module at ``path`` in the place of the installed one."""
    name = "arenite.native._engine"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


load_engine(os.environ["ARENITE_SANITIZED_ENGINE"])

from arenite.native import program  # noqa: E402 - with the engine that was just loaded


def exact_block(size: int) -> np.ndarray[Any, Any]:
    """``size`` zeroed bytes, aligned to 64, with nothing behind them."""
    address, count = ctypes.c_void_p(), max(size, 1)
    assert PROCESS.posix_memalign(ctypes.byref(address), ctypes.c_size_t(64), count) == 0
    block = (ctypes.c_uint8 * count).from_address(address.value)
    weakref.finalize(block, PROCESS.free, address)
    memory = np.frombuffer(block, np.uint8)
    memory[:] = 0
    return memory


class SanitizedProgram(program.Program):
    """Plans end where their kernel said that they would, not at the next multiple of 64."""

    def finish(self, main_steps: int | None = None) -> None:
        super().finish(main_steps)
        if program.aligned is not exact_block:
            return  # a test's own memory: NumPy would hand the forbidden bytes to the next array
        for draft, slot in zip(self._drafts, self._array, strict=False):
            size = program.draft_of(draft).sizes.plan
            forbid(int(program.ffi.cast("uintptr_t", slot.plan)) + size, -size % 64)


def forbid(address: int, size: int) -> None:
    """Let the process end if it reads or writes these bytes."""
    FORBID(ctypes.c_void_p(address), ctypes.c_size_t(size))


program.aligned = exact_block
program.Program = SanitizedProgram  # type: ignore[misc]

from tests.native import layouts  # noqa: E402 - what it imports takes the Program from above

layouts.forbid = forbid
