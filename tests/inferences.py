"""Inferences, one behind the other; needs no package but Arenite's own."""

from typing import Any

import numpy as np

from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.steps import Step

Array = np.ndarray[Any, Any]


def take(
    interpreter: HeapInterpreter | MicroInterpreter, model: Model, steps: list[Step]
) -> list[list[Array]]:
    """The outputs of every inference."""
    results = []
    for step in steps:
        if isinstance(step, str):
            interpreter.reset()
            continue
        for index, value in enumerate(step):
            interpreter.input(index)[...] = value
        interpreter.invoke()
        results.append([interpreter.output(i).copy() for i in range(len(model.outputs))])
    return results
