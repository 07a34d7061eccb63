"""The compiled module: its functions for Python's objects, and C's types and functions.

All modules take ``extension``, ``ffi`` and ``lib`` from here. cffi finds out a struct's fields when
they are first asked for, under a lock. Without the global interpreter lock, CPython 3.13 lets go of
that one half way, and threads that make a process's first interpreters end it ("lost a
struct/union!", ``realize_c_type.c`` of cffi 2.1.1). So without it all structs are asked for theirs
here: other threads wait for this import.
"""

from __future__ import annotations

import sys
from typing import Any

from arenite.native import _engine

extension, ffi, lib = _engine, _engine.ffi, _engine.lib


def realise(ffi: Any) -> set[str]:
    """Let cffi find out the fields of all structs and unions that a module declares.

    Returns:
        Their names in C.
    """
    typedefs, structs, unions = ffi.list_types()
    tagged = [f"struct {name}" for name in structs] + [f"union {name}" for name in unions]
    types = [ffi.typeof(name) for name in [*typedefs, *tagged]]
    mixed = [one for one in types if one.kind in {"struct", "union"} and not _is_opaque(ffi, one)]
    return {one.cname for one in mixed if one.fields is not None}


def _is_opaque(ffi: Any, struct: Any) -> bool:
    """Whether C has not said what is in it: to ask for its fields would end the process."""
    try:
        ffi.sizeof(struct)
    except ffi.error:
        return True
    return False


if not getattr(sys, "_is_gil_enabled", lambda: True)():
    realise(ffi)
