"""The engine is built with the package, and only loaded when it is to run."""

from __future__ import annotations

import subprocess
import sys

from arenite import native


def test_the_engine_was_built() -> None:
    assert native.available()


def test_importing_the_package_does_not_load_the_engine() -> None:
    code = "import arenite, sys; sys.exit('arenite.native._engine' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
