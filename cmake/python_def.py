"""Writes what ``python3.dll`` exports, as the linker's module definition file.

``python python_def.py OUTPUT MAJOR.MINOR``: all of the stable ABI that this version of CPython has
on Windows, so that a wheel for Windows is linked where no Python for Windows is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from abi3info import DATAS, FUNCTIONS
from abi3info.models import PyVersion


def definition(version: PyVersion) -> str:
    """The text of the file."""
    functions = [f"  {name.name}" for name, one in FUNCTIONS.items() if one.added <= version]
    data = [f"  {name.name} DATA" for name, one in DATAS.items() if one.added <= version]
    return "\n".join(["LIBRARY python3.dll", "EXPORTS", *sorted(functions + data)]) + "\n"


if __name__ == "__main__":
    major, minor = sys.argv[2].split(".")
    Path(sys.argv[1]).write_text(definition(PyVersion(int(major), int(minor))), "utf-8")
