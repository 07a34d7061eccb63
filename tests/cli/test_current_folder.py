"""Nothing that lies in the user's current folder runs, whatever a command starts there."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.shared import DIGITS

SCRIPT = shutil.which("arenite", path=str(Path(sys.executable).parent))
#: What children import, or might.
PACKAGES = {
    *(
        "numpy",
        "scipy",
        "sklearn",
        "pandas",
        "PIL",
        "cffi",
        "flatbuffers",
        "typer",
        "click",
        "rich",
    ),
    *("tflite_micro", "ai_edge_litert", "MNN", "ziglang", "unicorn", "vl_convert"),
    *("sitecustomize", "usercustomize"),
}
#: What Python itself imports for ``-m``, before anything of Arenite's could prevent it.
FOR_M = {"arenite", "__main__", *sys.builtin_module_names}
SPRUNG = "import os\nopen(os.path.join({folder!r}, 'sprung'), 'a').write({name!r} + ' ')\n"
PROGRAMS = ("zig", "qemu-system-arm", "python", "python3", "uname", "cc")
needs = {
    name: pytest.mark.skipif(find_spec(name) is None, reason=f"no {name}") for name in PACKAGES
}


def trapped(folder, names):
    """A folder whose modules and programs, when they run, leave their names in a file."""
    for name in sorted(names):
        source = SPRUNG.format(folder=str(folder), name=name)
        if name in ("multiprocessing", "arenite", "numpy", "concurrent"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(source)
        else:
            (folder / f"{name}.py").write_text(source)
    for name in PROGRAMS:
        path = folder / name
        path.write_text(f"#!/bin/sh\necho {name} >> '{folder}/sprung'\nexit 3\n")
        path.chmod(0o755)
    shutil.copy(DIGITS, folder / "m.tflite")
    with np.load(DIGITS.parent / "held_out.npz") as data:
        np.savez(folder / "d.npz", x=data["images"][:20], y=data["labels"][:20])


def run_in(folder, command, *arguments):
    """What a command prints as JSON in a folder; its traps have not gone off."""
    path = os.pathsep.join(["", ".", os.environ["PATH"]])
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*command, *arguments, "--json"],
        cwd=folder,
        env={**kept, "PATH": path},
        capture_output=True,
        timeout=300,
        check=False,
    )
    sprung = folder / "sprung"
    assert not sprung.exists(), sprung.read_text()
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def is_verified(facts):
    ways = facts["verification"]["ways"]
    assert any("TFLM" in str(way) or "tflite_micro" in str(way) for way in ways), ways


def has_engines(facts):
    assert [one["name"] for one in facts["engines"]] == ["arenite", "litert", "tflm"]


def is_right(facts):
    assert facts["samples"] == 20
    assert {one["metrics"]["accuracy"] for one in facts["engines"]} == {1.0}


def passes(facts):
    assert facts["self_test"].startswith("PASS")


COMMANDS = [
    pytest.param("optimize m.tflite -o o.tflite", is_verified, marks=needs["tflite_micro"]),
    pytest.param("compare m.tflite @tflm", lambda f: f["equal"], marks=needs["tflite_micro"]),
    pytest.param(
        "compare m.tflite @litert-reference", lambda f: f["equal"], marks=needs["ai_edge_litert"]
    ),
    pytest.param(
        "bench m.tflite --against litert,tflm --repeat 1",
        has_engines,
        marks=[needs["tflite_micro"], needs["ai_edge_litert"]],
    ),
    pytest.param(
        "evaluate m.tflite d.npz --against @litert", is_right, marks=needs["ai_edge_litert"]
    ),
    pytest.param("evaluate m.tflite d.npz --against @tflm", is_right, marks=needs["tflite_micro"]),
    pytest.param("evaluate m.tflite d.npz --workers 2", is_right),
    pytest.param("board m.tflite --runs 1", passes, marks=[needs["ziglang"], needs["unicorn"]]),
    pytest.param("export m.tflite -o fw", lambda f: f["layers"]),
]


@pytest.mark.skipif(SCRIPT is None or os.name != "posix", reason="no script of a POSIX system")
@pytest.mark.parametrize(("words", "check"), COMMANDS)
def test_no_command_runs_what_lies_in_the_current_folder(tmp_path, words, check):
    trapped(tmp_path, {"arenite", *PACKAGES, *sys.stdlib_module_names})
    assert check(run_in(tmp_path, [SCRIPT], *words.split())) is not False


@pytest.mark.skipif(os.name != "posix", reason="no POSIX system")
@pytest.mark.parametrize(("words", "check"), [COMMANDS[0], COMMANDS[6]])
def test_neither_does_python_with_the_option_m(tmp_path, words, check):
    """Python has imported some of its own library by then; ``arenite`` and ``-P`` prevent that."""
    first = subprocess.run(
        [sys.executable, "-c", "import runpy, arenite, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    before = {name.split(".")[0] for name in first.stdout.split()}
    names = {*PACKAGES, *sys.stdlib_module_names} - FOR_M - before
    assert {"numpy", "json", "multiprocessing", "subprocess", "pickle"} <= names
    trapped(tmp_path, names)
    assert check(run_in(tmp_path, [sys.executable, "-m", "arenite"], *words.split())) is not False


def test_the_traps_go_off(tmp_path):
    trapped(tmp_path, {"numpy"})
    subprocess.run([sys.executable, "-c", "import numpy"], cwd=tmp_path, check=True)
    assert (tmp_path / "sprung").read_text() == "numpy "
