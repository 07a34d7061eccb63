"""A small model in a file, and the command line in this process."""

from functools import lru_cache

import pytest
import typer.main
from typer.testing import CliRunner

from arenite.cli import app
from tests.cli.models import classifier, saved

#: Typer's runner makes all commands anew for each call, which takes longer than most of them do; a
#: process makes them once.
made_once = lru_cache(typer.main.get_command)


@pytest.fixture
def model_file(tmp_path):
    return saved(classifier(), tmp_path / "digits.tflite")


@pytest.fixture
def arenite(monkeypatch):
    """``arenite(*arguments)`` runs the command line 80 columns wide and returns its result."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("ARENITE_DEBUG", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr("typer.testing._get_command", made_once)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(argument) for argument in arguments])
