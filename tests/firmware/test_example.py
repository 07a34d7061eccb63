"""The example of a firmware, from the export to PASS."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_one_command_goes_from_the_model_to_pass(tmp_path):
    for name in ("digits", "firmware"):
        ignored = shutil.ignore_patterns("build", "images", "__pycache__")
        shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=ignored)
    command = ["make", "-s", "-C", str(tmp_path / "firmware"), f"PYTHON={sys.executable}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines[-12] == "PASS digits: 4 inferences, 9 layers each"
    assert lines[-11:-1] == [f"a {digit} is read as {digit}" for digit in range(10)]
    assert lines[-1] == "PASS"
    assert done.stderr == ""
