"""No command prints lines that are wider than the terminal."""

from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len
from rich.text import Text

from tests.cli.models import classifier, saved

LONG = "StatefulPartitionedCall/" * 5
COMMANDS = {
    "info": ["info", "m.tflite"],
    "memory": ["memory", "m.tflite"],
    "memory of a board": ["memory", "m.tflite", "--target", "m4"],
    "run": ["run", "m.tflite"],
    "explain": ["explain", "m.tflite"],
    "cost": ["cost", "m.tflite", "--target", "m4"],
    "optimize": ["optimize", "m.tflite", "-o", "o.tflite"],
    "bench": ["bench", "m.tflite", "--repeat", 1],
    "compare": ["compare", "m.tflite", "m.tflite"],
    "evaluate": ["evaluate", "m.tflite", "data.npz"],
    "fit": ["fit", "m.tflite", "--ram", "256k"],
    "export": ["export", "m.tflite", "-o", "out", "--no-emulate"],
}


@pytest.fixture
def long_names(tmp_path, monkeypatch):
    model = classifier()
    tensors = tuple(replace(one, name=one.name + LONG) for one in model.main.tensors)
    main = replace(model.main, tensors=tensors)
    saved(
        replace(model, subgraphs=(main,), description="all about it " * 20), tmp_path / "m.tflite"
    )
    x = np.zeros((4, 1, 8, 8, 1), np.int8)
    np.savez(tmp_path / "data.npz", x=x, y=np.arange(4))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_lines_fit_the_terminal(arenite, long_names, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the pipe for a terminal
    result = arenite(*command)
    assert result.exit_code == 0, result.stderr
    lines = [Text.from_ansi(line).plain for line in result.stdout.splitlines()]
    assert [line for line in lines if cell_len(line) > width] == []


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_in_a_pipe_only_single_words_are_wider(arenite, long_names, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "60")
    lines = arenite(*command).stdout.splitlines()
    assert [line for line in lines if cell_len(line) > 60 and len(line.split()) > 1] == []
