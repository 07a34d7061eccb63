"""A disk that is full, here a process that may write 64 bytes: the error names the file."""

import os
import subprocess
import sys

import pytest

from tests.cli.exit_codes import error_of
from tests.cli.models import classifier, saved

if os.name != "posix":
    pytest.skip("limits of POSIX", allow_module_level=True)

START = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
from arenite.cli import main
main()
"""
COMMANDS = {
    "run": ("--output", "y.npz"),
    "optimize": ("--output", "small.tflite"),
    "export": ("--output", "firmware"),
    "memory": ("--svg", "plan.svg"),
    "compare": ("@cortex-m4", "--svg", "error.svg"),
}


def limited(folder, *arguments, **options):
    """The command in a process that may write little; what it says."""
    command = [sys.executable, "-B", "-c", START, *map(str, arguments)]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
    environment |= {"TMPDIR": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, stderr=subprocess.PIPE, **options
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_file_that_cannot_be_written_is_named(tmp_path, command):
    model = saved(classifier(), tmp_path / "model.tflite")
    other, option, name = (None, *COMMANDS[command])[-3:]
    arguments = [model, *([other] if other else []), option, tmp_path / name]
    code, said = limited(tmp_path, command, *arguments, stdout=subprocess.DEVNULL)
    assert (code, said.count("\n")) == (error_of(command), 1)
    # Some try out in a temporary folder first what they have made.
    own = said.startswith(f"error: {tmp_path / name}")
    assert own or said.startswith(f"error: {tmp_path}/arenite-")
    assert said.endswith(": File too large\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_output_s_stream_is_named_where_it_ends_in_a_file(
    tmp_path, options, unbuffered, monkeypatch
):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    model = saved(classifier(), tmp_path / "model.tflite")
    with open(tmp_path / "facts.txt", "wb") as file:
        said = limited(tmp_path, "info", model, *options, stdout=file)
    assert said == (1, "error: standard output: File too large\n")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that cannot be read")
def test_a_file_that_cannot_be_read_is_named(tmp_path):
    said = limited(tmp_path, "info", "/proc/self/mem", stdout=subprocess.DEVNULL)
    assert said == (1, "error: /proc/self/mem: Input/output error\n")
