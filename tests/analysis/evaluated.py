"""Small models whose answers are plain to see, and a bad executor, for tests of evaluations."""

from collections import deque
from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np

from arenite.analysis.evaluation.workers import Done
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


class Hostile(Executor):
    """Runs a job when its answer is looked for, as its script says; then as it should."""

    def __init__(self, script):
        self.script = deque(script)
        self.jobs = []
        self.finished = 0

    def submit(self, function, job):
        self.jobs.append(job)
        future = Future()
        match self.script.popleft() if self.script else "run":
            case "lose":
                return future
            case "cancel":
                future.cancel()
                future.set_running_or_notify_cancel()
            case "raise":
                future.set_exception(ConnectionError("a worker is gone"))
            case "other":
                function(job)
                future.set_result(Done(job.number + 1, job.begin, job.end, "x"))
            case "nothing":
                future.set_result(None)
            case "twice":
                function(job)
                future.set_result(function(job))
            case _:
                future.set_result(function(job))
        self.finished += 1
        return future
