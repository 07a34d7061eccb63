"""The boundary to the compiled kernels: loader, parameter records, programs."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from typing import Any


@cache
def available() -> bool:
    """Whether the native engine was built for this machine."""
    return find_spec("arenite.native._engine") is not None


def checks() -> Any:
    """:mod:`arenite.native.models`, or None without the engine."""
    if not available():
        return None
    from arenite.native import models  # noqa: PLC0415 - the engine may be absent

    return models


def absence() -> str:
    """The reason why there is no native engine, and the remedy; to be said where it is missing."""
    import platform  # noqa: PLC0415 - 2 ms, for an error

    threads = "" if getattr(sys, "_is_gil_enabled", lambda: True)() else " without the GIL"
    return (
        "the native engine was not built for this machine: no wheel with it was found for "
        f"{platform.python_implementation()} {platform.python_version()}{threads} on "
        f"{platform.system()} {platform.machine()}, or it did not compile "
        "(docs/platforms.md); all results are the reference engine's, which are the same"
    )
