"""A fault of Arenite's own has an exit code that means nothing else, in every command."""

import json
import subprocess
import sys

import pytest

from arenite.cli import app
from arenite.cli.process import INTERNAL
from tests.cli.conftest import made_once
from tests.cli.exit_codes import COMMANDS


@pytest.fixture
def broken(monkeypatch):
    """``broken(command)`` makes a command fail as a programming error does."""

    def fail(*_, **__):
        raise IndexError("index 213 is out of bounds")

    return lambda command: monkeypatch.setattr(made_once(app).commands[command], "invoke", fail)


def required(command):
    """Words for a command's arguments and options, none of which is looked at."""
    found = []
    for one in made_once(app).commands[command].params:
        if one.required:
            found += ["x"] if one.param_type_name == "argument" else [one.opts[0], "x"]
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_fault_of_any_command_is_70_with_a_traceback(arenite, broken, command):
    broken(command)
    result = arenite(command, *required(command))
    assert result.exit_code == INTERNAL == 70
    assert "Traceback (most recent call last)" in result.stderr
    assert "error: a fault of Arenite: IndexError: index 213" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_debugging_changes_no_exit_code_of_a_fault(arenite, broken, command):
    broken(command)
    assert arenite("--debug", command, *required(command)).exit_code == INTERNAL


@pytest.mark.parametrize("command", ["compare", "fit", "evaluate"])
def test_debugging_changes_no_exit_code_of_an_error(arenite, tmp_path, command):
    missing = [tmp_path / "none.tflite", "@litert" if command == "compare" else "data.npz"]
    given = missing[:1] if command == "fit" else missing
    plain, debug = arenite(command, *given), arenite("--debug", command, *given)
    assert plain.exit_code == debug.exit_code == 2
    assert "Traceback" in debug.stderr
    assert "Traceback" not in plain.stderr


def test_a_fault_is_a_document_where_results_would_be(arenite, broken):
    broken("compare")
    found = json.loads(arenite("compare", "a", "b", "--json").stdout)
    assert found["exit_code"] == INTERNAL
    assert found["error"]["kind"] == "InternalError"


def test_a_fault_outside_of_commands_is_70_as_well():
    code = "from arenite.cli.process import run_as_process as r; r(lambda: [][1])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == INTERNAL
    assert b"IndexError" in done.stderr
