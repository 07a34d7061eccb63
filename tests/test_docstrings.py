"""The examples in docstrings work."""

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


@pytest.mark.parametrize("name", MODULES)
def test_examples_work(name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if "_engine" not in str(error):
            raise
        pytest.skip("the native engine is not built")
    globs = {**vars(arenite), **vars(module)}
    result = doctest.testmod(module, globs=globs, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
