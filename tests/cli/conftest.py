"""A small model in a file, and the command line in this process."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from arenite.cli import app
from tests.cli.models import classifier, saved


@pytest.fixture
def model_file(tmp_path):
    return saved(classifier(), tmp_path / "digits.tflite")


@pytest.fixture
def arenite(monkeypatch):
    """``arenite(*arguments)`` runs the command line 80 columns wide and returns its result."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("ARENITE_DEBUG", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(argument) for argument in arguments])
