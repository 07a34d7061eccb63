"""The command as a process: exit codes, pipes, signals, encodings."""

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arenite import native
from arenite.cli import app
from arenite.cli.common import progress
from tests.cli.models import classifier, saved

COMMAND = [sys.executable, "-m", "arenite"]
posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def environment(**extra):
    kept = {k: v for k, v in os.environ.items() if k not in ("ARENITE_DEBUG", "FORCE_COLOR")}
    return {**kept, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **extra}


def process(*arguments, **extra):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        timeout=60,
        env=environment(**extra),
        check=False,
    )


def test_success_is_0_and_says_nothing_on_the_error_stream(model_file):
    done = process("info", model_file)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_users_error_is_1_in_one_line_without_traceback():
    done = process("info", "no[such]file")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"error: no[such]file: No such file or directory\n"


def test_wrong_usage_is_2():
    assert process("info").returncode == 2
    assert process("nonsense").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [(["--debug", "info", "nofile"], {}), (["info", "nofile"], {"ARENITE_DEBUG": "1"})],
)
def test_debugging_shows_the_traceback(arguments, extra):
    done = process(*arguments, **extra)
    assert done.returncode == 1
    assert b"Traceback (most recent call last)" in done.stderr
    assert b"FileNotFoundError" in done.stderr


def test_a_command_inside_a_program_leaves_its_ctrl_c_alone(arenite, model_file):
    before = signal.getsignal(signal.SIGINT)
    arenite("info", model_file)
    assert signal.getsignal(signal.SIGINT) is before


def test_the_shell_can_complete_commands(arenite, monkeypatch):
    assert "--install-completion" in arenite("--help").stdout


@pytest.mark.skipif(not native.available(), reason="the engine was not built")
def test_the_version_comes_with_what_computes(arenite):
    assert re.fullmatch(r"arenite 0\.\S+, native engine for \w+\n", arenite("--version").stdout)


def test_the_version_says_that_there_is_no_engine(arenite, monkeypatch):
    monkeypatch.setattr("arenite.native.available", lambda: False)
    assert "reference engine alone: the native engine was not built" in arenite("--version").stdout


def test_help_is_shown_without_arguments(arenite):
    result = arenite()
    assert result.exit_code == 0
    for name in ("info", "run", "memory"):
        assert name in result.stdout


@pytest.mark.parametrize("name", [command.callback.__name__ for command in app.registered_commands])
def test_every_commands_help_has_an_example(arenite, name):
    name = name.replace("_", "-")
    assert f"Example: arenite {name} " in arenite(name, "--help").stdout


def test_without_a_terminal_there_are_no_colours(model_file):
    assert b"\x1b" not in process("memory", model_file).stdout


def test_colours_follow_the_usual_variables(model_file):
    coloured = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert b"\x1b[36m" in process("memory", model_file, **coloured).stdout
    assert b"\x1b[36m" not in process("memory", model_file, NO_COLOR="1", **coloured).stdout


def test_an_encoding_without_blocks_gets_ascii(model_file):
    done = process("memory", model_file, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("ascii").count("\n#  head") == 1
    assert b"256 |###" in done.stdout


def test_names_that_the_encoding_lacks_are_escaped(tmp_path):
    model = saved(classifier(), tmp_path / "mod\u00e8le.tflite")
    done = process("info", model, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"mod\\xe8le.tflite" in done.stdout


@posix_only
@pytest.mark.parametrize("words", [["info"], ["memory"], ["info", "--json"], ["info", "-h"]])
def test_a_closed_pipe_ends_it_quietly(model_file, words):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = subprocess.run(
            [*COMMAND, *words, str(model_file)],
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=60,
            env=environment(),
            check=False,
        )
    assert done.stderr == b""
    assert done.returncode == -signal.SIGPIPE


# Runs the command line, and stops where the last argument says until a signal comes.
WAITING = """
import importlib, sys, time
from arenite.cli import main
module, name = sys.argv.pop().rsplit(".", 1)
def wait(*_, **__):
    print("ready", flush=True)
    time.sleep(60)
setattr(importlib.import_module(module), name, wait)
main()
"""


@posix_only
@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["run", "m.tflite"], "arenite.cli.run._invoke"),
        (["run", "m.tflite", "--output", "y.npz"], "numpy.lib.format.write_array"),
        (["memory", "m.tflite", "--svg", "y.svg"], "arenite.report.memory_svg.memory_svg"),
        (["optimize", "m.tflite", "-o", "z.tflite"], "arenite.peers.ask"),
        (["info", "m.tflite"], "arenite.analysis.facts.model_facts"),
        (["explain", "m.tflite"], "arenite.analysis.explanation.explanation"),
        (["cost", "m.tflite"], "arenite.analysis.model_cost.model_cost"),
        (["bench", "m.tflite"], "arenite.cli.measure.measure"),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else one.rpartition(".")[2],
)
def test_ctrl_c_ends_it_in_one_line_and_leaves_no_half_of_a_file(tmp_path, arguments, where):
    saved(classifier(), tmp_path / "m.tflite")
    for name in ("y.npz", "y.svg"):
        (tmp_path / name).write_bytes(b"old")
    command = [sys.executable, "-c", WAITING, *arguments, "--json", where]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=tmp_path,
    ) as running:
        try:
            assert running.stdout.readline() == b"ready\n", running.stderr.read()
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, out, err) == (130, b"", b"interrupted\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.tflite", "y.npz", "y.svg"]
    assert (tmp_path / "y.npz").read_bytes() == (tmp_path / "y.svg").read_bytes() == b"old"


IN_A_STRING = """
import arenite.analysis.facts
arenite.analysis.facts.model_facts = lambda *_: exec("raise KeyboardInterrupt")
from arenite.cli import main
main()
"""


def test_ctrl_c_while_a_string_is_executed_has_the_same_code(tmp_path):
    saved(classifier(), tmp_path / "m.tflite")
    (tmp_path / "command.py").write_text(IN_A_STRING)
    done = subprocess.run(
        [sys.executable, "-m", "command", "info", "m.tflite", "--json"],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")


# -- progress ----------------------------------------------------------------------------


class Stream(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.mark.parametrize(
    ("terminal", "seconds", "drawn"), [(True, 5.0, True), (True, 0.5, False), (False, 5.0, False)]
)
def test_progress_is_for_slow_things_on_terminals(monkeypatch, terminal, seconds, drawn):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Stream(terminal))
    with progress("timing", 2, seconds) as advance:
        advance()
        advance()
    assert ("timing" in sys.stderr.getvalue()) is drawn


# -- Ctrl-C while modules are imported ---------------------------------------------------

AT_IMPORT = """
import os, signal, sys

class Interrupting:
    def find_spec(name, *_):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

*sys.argv, wanted = sys.argv
sys.meta_path.insert(0, Interrupting)
from arenite.__main__ import main
main()
"""


@posix_only
@pytest.mark.parametrize(
    "module",
    ["arenite.cli", "arenite.cli.fit", "typer", "numpy", "arenite.model", "arenite.formats"],
)
def test_ctrl_c_during_an_import_ends_it_in_one_line(tmp_path, module):
    saved(classifier(), tmp_path / "m.tflite")
    done = subprocess.run(
        [sys.executable, "-c", AT_IMPORT, "info", "m.tflite", "--json", module],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")


AT_THE_END = """
import os, signal
class Last:
    def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGINT):
        kill(process, number)
last = Last()  # goes with the module, when Python has given its signals back
from arenite.__main__ import main
main()
"""


@posix_only
def test_ctrl_c_while_python_ends_changes_nothing(tmp_path):
    saved(classifier(), tmp_path / "m.tflite")
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_END, "info", "m.tflite", "--json"],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"{")


def test_both_ways_to_start_the_command_begin_with_ctrl_c():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    assert '\n[project.scripts]\narenite = "arenite.__main__:main"\n\n' in text
