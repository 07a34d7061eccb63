"""The example of a firmware, from the export to PASS."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def made(tmp_path, *targets):
    for name in ("digits", "firmware"):
        ignored = shutil.ignore_patterns("build", "images", "__pycache__")
        shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=ignored)
    command = ["make", "-s", "-C", str(tmp_path / "firmware"), f"PYTHON={sys.executable}", *targets]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_core_s_counter_shows_what_every_layer_takes_and_compare_reads_its_log(tmp_path):
    """On the emulated board a cycle is an instruction; those of the layers are nearly all."""
    lines = made(tmp_path, "cycles").stdout.splitlines()
    counts = [int(line.split()[3]) for line in lines if line.startswith("layer ")]
    said = next(line for line in lines if line.startswith("time "))
    instructions = int(said.split()[1].replace(",", ""))
    assert len(counts) == 10
    assert sum(counts) == pytest.approx(instructions, rel=0.01)
    assert lines[-1] == "Every tensor is equal."


def test_one_command_goes_from_the_model_to_pass(tmp_path):
    done = made(tmp_path)
    lines = done.stdout.splitlines()
    assert lines[-12] == "PASS digits: 4 inferences, 9 layers each"
    assert lines[-11:-1] == [f"a {digit} is read as {digit}" for digit in range(10)]
    assert lines[-1] == "PASS"
    assert done.stderr == ""
