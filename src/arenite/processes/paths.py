"""Folders of modules and programs: those that somebody named, never the current one.

Nothing but ``os`` and ``sys``, which Python has imported by itself, is needed here: this is what
makes other imports safe.
"""

import os
import sys

#: The folder ``arenite``, with ``__init__.py``.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_UNSET = {"PATH": os.defpath}


def import_path() -> list[str]:
    """``sys.path`` without what is relative, and without the current folder that Python adds.

    The current folder stays where ``PYTHONPATH`` names it in full, and comes last where Arenite
    itself lies in it.
    """
    here = _real(os.curdir)
    named = {entry for entry in _folders("PYTHONPATH") if os.path.isabs(entry)}
    found = [
        entry
        for entry in sys.path
        if isinstance(entry, str)
        and os.path.isabs(entry)
        and (entry in named or _real(entry) != here)
    ]
    home = os.path.dirname(PACKAGE)
    return [*found, home] if _real(home) == here and home not in found else found


def find_program(name: str) -> str | None:
    """The path of a program in the folders that ``PATH`` names in full; None if there is none."""
    names = (name, f"{name}.exe") if os.name == "nt" else (name,)
    for folder in absolute(_folders("PATH")):
        for one in names:
            path = os.path.join(folder, one)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def find_package(name: str) -> str | None:
    """The folder of an installed package, or its file where it has none; None if there is none."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 - not before the path is safe

    spec = PathFinder.find_spec(name, import_path())
    if spec is None:
        return None
    return next(iter(spec.submodule_search_locations or ()), spec.origin)


def absolute(folders: list[str]) -> list[str]:
    """Those of the folders that are named in full."""
    return [folder for folder in folders if os.path.isabs(folder)]


def _folders(variable: str) -> list[str]:
    return os.environ.get(variable, _UNSET.get(variable, "")).split(os.pathsep)


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
