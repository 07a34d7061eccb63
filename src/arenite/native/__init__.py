"""The boundary to the compiled kernels: loader, parameter records, programs."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def available() -> bool:
    """Whether the native engine was built for this machine."""
    return find_spec("arenite.native._engine") is not None
