"""Benchmarks can be started: ``make bench`` is not part of the tests."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
#: What another benchmark imports is none of its own.
SHARED = {"arm_inferences.py", "custom_operators.py", "held.py", "shared.py"}
BENCHMARKS = sorted(path for path in FOLDER.glob("*.py") if path.name not in SHARED)


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.name)
def test_a_benchmark_starts(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path), "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


def test_all_that_the_firmware_s_tables_say_was_run() -> None:
    """Of every command a result, and none of a command that is no more."""
    results = json.loads((FOLDER / "results/firmware.json").read_text("utf-8"))["runs"]
    commands = {*runpy.run_path(str(FOLDER / "firmware.py"))["commands"]()}
    assert commands == {command for command in results if not command.endswith(", GCC")}
