"""The examples in docstrings work."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import arenite

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(arenite.__path__, "arenite.")
    if not name.endswith(("__main__", "._engine", "._build"))
]
#: Modules that only an installation with the native engine has.
NATIVE = ("cffi", "_cffi_backend", "arenite.native._engine")


@pytest.mark.parametrize("name", MODULES)
def test_examples_work(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in NATIVE:
            raise
        pytest.skip(f"{error.name} is not built or installed")
    globs = {**vars(arenite), **vars(module)}
    result = doctest.testmod(module, globs=globs, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
