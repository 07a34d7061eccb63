"""Memory that runs out anywhere in a call: an error or the result, and then the same bits.

Blocks of 512 bytes and more, which hold tensors, arenas, packed weights and tables. Smaller ones
are Python's own objects: NumPy ends the process when it is refused a few bytes
(``__array_interface__``). Where its iterators get none it raises ``SystemError``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arenite import native
from tests.compiler import compiler
from tests.shared import DIGITS

HERE = Path(__file__).parent
ENGINES = ["reference", "native"] if native.available() else ["reference"]
LEAST = 512

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs glibc"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="something is preloaded already"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("failing") / "fail_allocations.so"
    flags = ["-O1", "-shared", "-fPIC", "-fno-builtin", "-o", str(path)]
    subprocess.run([*compiler(), *flags, str(HERE / "fail_allocations.c")], check=True)
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_a_call_that_gets_no_memory_raises_and_can_be_made_again(
    library: Path, engine: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.fail_allocations", str(DIGITS), "3", engine, str(LEAST)],
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONMALLOC": "malloc"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    calls: dict[str, dict[str, Any]] = json.loads(done.stdout)
    assert calls["load"]["MemoryError"] >= 1
    assert calls["plan"]["MemoryError"] >= 1
    assert engine == "reference" or calls["predict on threads"]["MemoryError"] > 1
