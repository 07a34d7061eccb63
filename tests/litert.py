"""LiteRT's interpreter, in a process of its own: it crashes on some models."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Outputs = list[list[Array]]


def litert(files: Sequence[bytes], inputs: Sequence[Sequence[Array]]) -> list[Outputs | None]:
    """What LiteRT makes of each file: the outputs per inference, None if it fails or dies."""
    answers: list[Outputs | None] = []
    while len(answers) < len(files):
        question = pickle.dumps((files[len(answers) :], inputs))
        worker = subprocess.run(
            [sys.executable, str(Path(__file__))], input=question, capture_output=True, check=False
        )
        found = _answers(worker.stdout)
        answers += found
        if worker.returncode and len(answers) < len(files):
            answers.append(None)
    return answers


def _answers(data: bytes) -> list[Outputs | None]:
    stream, found = io.BytesIO(data), []
    while stream.tell() < len(data):
        found.append(pickle.load(stream))
    return found


def _serve() -> None:
    warnings.simplefilter("ignore")
    files, inputs = pickle.load(sys.stdin.buffer)
    for data in files:
        try:
            answer = _run(data, inputs)
        except (RuntimeError, ValueError) as error:
            print(error, file=sys.stderr)
            answer = None
        sys.stdout.buffer.write(pickle.dumps(answer))
        sys.stdout.buffer.flush()


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
    _serve()
