"""Small models whose answers are plain to see, for tests of evaluations."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arenite.formats.tflite import write
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions


def linear(weights: list[list[float]]) -> Model:
    """float32: what comes out is the weights times what goes in."""
    rows = np.array(weights, np.float32)
    b = ModelBuilder()
    x = b.input("x", (1, rows.shape[1]), "float32")
    y = b.tensor("y", (1, rows.shape[0]), "float32")
    b.operator("FULLY_CONNECTED", [x, b.constant("w", rows)], [y], FullyConnectedOptions())
    b.output(y)
    return b.build()


def scores(classes: int) -> Model:
    """Scores of as many classes are the first of one more number that go in."""
    return linear(np.eye(classes, classes + 1).tolist())


def given(*rows: list[float]) -> np.ndarray:
    """Samples of :func:`scores`."""
    return np.array([[*row, 0.0] for row in rows], np.float32)


def saved(model: Model, path: Path) -> Path:
    path.write_bytes(write(model))
    return path
