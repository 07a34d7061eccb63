"""The C compiler of this machine, for the small C files of tests; ``CC`` names another one."""

import importlib.util
import os
import shlex
import shutil
import sys

import pytest


def compiler() -> list[str]:
    """The command; skips the test where there is none."""
    if chosen := shlex.split(os.environ.get("CC", "")):
        return chosen
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found:
        return [found]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    pytest.skip("there is no C compiler")
