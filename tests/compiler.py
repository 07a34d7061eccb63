"""The C compiler of this machine, for the small C files of tests."""

from __future__ import annotations

import importlib.util
import shutil
import sys

import pytest


def compiler() -> list[str]:
    """The command; skips the test where there is none."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found:
        return [found]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    pytest.skip("there is no C compiler")
