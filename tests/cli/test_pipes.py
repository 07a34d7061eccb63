"""Every path that a user names is a regular file, or it is called what it is; no command waits."""

import os
import signal

import pytest
from typer.main import get_command

from arenite.cli import app
from tests.cli.models import classifier, saved

pytestmark = pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")

COMMANDS = get_command(app).commands
#: What else a command is given, where the pipe is the value of an option.
GIVEN = {
    "evaluate": ["{model}", "{data}"],
    "compare": ["{model}", "@litert"],
    "report": ["{model}", "-o", "{folder}/page.html"],
    "which": ["{model}", "--used", "1000"],
    "quantize": ["{model}", "--data", "{data}", "-o", "{folder}/out.tflite"],
    "export": ["{model}", "-o", "{folder}/firmware"],
    "explain": ["{model}", "--op", "0"],
    "board": ["{model}", "--board", "nano33ble"],
}
#: Paths that are written, and sources: the compiler's door has tests of its own.
NOT_READ = {"--output", "-o", "--svg", "--save", "--resume"}
#: Why some are not opened: a classifier of digits takes no sound, a folder has no pictures ...
NOT_FOR_IT = (
    "does not take raw samples",
    "expected one of the formats",
    "expected a folder",
    "expected a float model",
)
SOURCES = {"--kernels", "--kernel", "--source", "--include", "--tflm", "file"}
#: Files of the endings that options and arguments are told apart by.
ENDINGS = {
    "--input": (".npy", ".npz", ".csv", ".wav", ".png", ""),
    "--data": (".npz", ".csv", ".wav"),
    "data": (".npz", ".csv", ".wav", ""),
    "--board": (".toml",),
    "model": (".tflite", ".mnn"),
    "--labels": (".txt",),
    "log": (".log",),
    "--quantized": (".json",),
    "--manifest": (".json",),
    "--ops": (".py",),
}


def named_paths():
    """Every path that is read: command, option or argument, and ending."""
    for name, command in COMMANDS.items():
        for param in command.params:
            option = param.opts[0]
            metavar = param.metavar or param.human_readable_name
            is_path = option in ENDINGS or "FILE" in metavar or "MODEL" in metavar
            is_choice = option == "--input" and command.name in ("export", "board")
            if not is_path or is_choice or option in NOT_READ | SOURCES or param.hidden:
                continue
            for ending in ENDINGS.get(option, (".tflite",)):
                yield pytest.param((name, option, ending), id=f"{name} {option} {ending}")


@pytest.fixture
def no_longer_than_a_minute():
    def too_long(*_):
        raise AssertionError("it waits for the pipe")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("place", list(named_paths()))
@pytest.mark.usefixtures("no_longer_than_a_minute")
def test_a_named_pipe_is_refused_by_name(arenite, tmp_path, monkeypatch, place):
    command, option, ending = place
    monkeypatch.setenv("COLUMNS", "1000")
    pipe, model = tmp_path / f"pipe{ending}", saved(classifier(), tmp_path / "digits.tflite")
    os.mkfifo(pipe)
    given = [
        one.format(model=model, data=tmp_path, folder=tmp_path)
        for one in GIVEN.get(command, ["{model}"])
    ]
    if option.startswith("-"):
        words = [*given, option, pipe]
    elif option in ("data", "log", "second"):
        words = [given[0], pipe]
    else:
        words = [pipe, *given[1:]]
    result = arenite(command, *words)
    assert result.exit_code in (1, 2), result.output
    refusal = "a named pipe" in result.output or any(one in result.output for one in NOT_FOR_IT)
    assert refusal, result.output
