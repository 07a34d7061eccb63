"""LiteRT's interpreter, in a process of its own: it crashes on some models."""

import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.worker import Worker, WorkerError, serve

Array = np.ndarray[Any, Any]
Outputs = list[list[Array]]


def litert(files: Sequence[bytes], inputs: Sequence[Sequence[Array]]) -> list[Outputs | None]:
    """What LiteRT makes of each file: the outputs per inference, None if it fails or dies."""
    worker = Worker("tests.litert_oracle", timeout=60.0, log=subprocess.DEVNULL)
    answers: list[Outputs | None] = []
    for data in files:
        try:
            answers.append(worker.ask((data, inputs)))
        except WorkerError:
            answers.append(None)
    worker.close()
    return answers


def _answer(question: tuple[bytes, Sequence[Sequence[Array]]]) -> Outputs | None:
    try:
        return _run(*question)
    except (RuntimeError, ValueError):
        return None


def _run(data: bytes, inputs: Sequence[Sequence[Array]]) -> Outputs:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=data)
    interpreter.allocate_tensors()
    outputs = []
    for values in inputs:
        for detail, value in zip(interpreter.get_input_details(), values, strict=True):
            interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        details = interpreter.get_output_details()
        outputs.append([np.array(interpreter.get_tensor(detail["index"])) for detail in details])
    return outputs


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serve(_answer, sys.stdout.buffer)
