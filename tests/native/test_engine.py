"""The engine is built with the package, and only loaded when it is to run; who loads it."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arenite
from arenite import native
from tests.shared import DIGITS

HEADERS = Path(__file__).resolve().parents[2] / "csrc" / "include"

#: Threads that make a process's first interpreters, all at once; prints how many results differ.
FIRST = """
import sys
from threading import Barrier, Thread
import numpy as np
import arenite as ar

start, results = Barrier(8), []

def work():
    start.wait()
    interpreter = ar.Interpreter(sys.argv[1], engine="native")
    results.append(interpreter(np.zeros_like(interpreter.input())).tobytes())

threads = [Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(results), len(set(results)))
"""


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


# -- without the global interpreter lock ---------------------------------------------------


def test_threads_make_a_process_first_interpreters() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST, str(DIGITS)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("8 1\n", "", 0)


def test_one_module_loads_the_engine() -> None:
    """Else another one could use structs whose fields nobody has asked for."""
    package = Path(arenite.__file__).parent
    imports = re.compile(r"import .*\b_engine\b|from arenite\.native\._engine\b")
    found = [p.name for p in package.rglob("*.py") if imports.search(p.read_text("utf-8"))]
    assert found == ["engine.py"]


def test_all_structs_of_the_headers_are_realised() -> None:
    from arenite.native.engine import ffi, realise

    shim = Path(arenite.__file__).parent / "kernels" / "shim" / "kernel.h"
    text = "\n".join(path.read_text("utf-8") for path in [*HEADERS.rglob("*.h"), shim])
    structs = re.findall(r"^typedef struct (\w*)\s*\{[^}]*\} (\w+);", text, re.MULTILINE)
    assert len(structs) > 100
    assert realise(ffi) == {f"struct {tag}" if tag else name for tag, name in structs}


class Recording:
    """A module's ``ffi``, and how often it was asked for all types."""

    def __init__(self, ffi: Any) -> None:
        self.ffi, self.asked = ffi, 0

    def __getattr__(self, name: str) -> Any:
        self.asked += name == "list_types"
        return getattr(self.ffi, name)


@pytest.mark.parametrize("has_lock", [False, True])
def test_they_are_realised_where_there_is_no_lock(
    has_lock: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arenite.native import _engine, engine

    recording = Recording(_engine.ffi)
    monkeypatch.setattr(_engine, "ffi", recording)
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: has_lock, raising=False)
    runpy.run_path(engine.__file__)
    assert recording.asked == (not has_lock)
