"""``tools/fuzz_target.py``, with a stand-in for atheris that says how it was called."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ATHERIS = """
import contextlib, json
instrument_imports = lambda **_: contextlib.nullcontext()
def Setup(arguments, *_, **__): print("called", json.dumps(arguments))
def Fuzz(): pass
"""


def called(command, environment, **options):
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, **options
    )
    (line,) = (one for one in done.stdout.splitlines() if one.startswith("called "))
    return json.loads(line.removeprefix("called "))


def test_libfuzzer_can_start_its_first_argument_in_a_shell(tmp_path):
    (tmp_path / "atheris.py").write_text(ATHERIS)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    target = str(ROOT / "tools" / "fuzz_target.py")
    first, *others = called([sys.executable, target, "manifests", "-merge=1"], environment)
    assert others == ["-merge=1"]
    again = called(f"{first} -merge_inner=1", environment, shell=True, cwd=tmp_path)
    assert again == [first, "-merge_inner=1"]
