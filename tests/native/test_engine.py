"""The engine is built with the package, and only loaded when it is to run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arenite import native


def test_the_engine_was_built() -> None:
    assert native.available()


def test_importing_the_package_does_not_load_the_engine() -> None:
    code = "import arenite, sys; sys.exit('arenite.native._engine' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_missing_says_where_it_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Haiku")
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert "without the GIL on Haiku riscv64, or it did not compile" in native.absence()
