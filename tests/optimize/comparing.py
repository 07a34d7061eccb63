"""Whether two models compute the same."""

import numpy as np

from arenite.formats import tflite
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target
from tests.optimize.inside import random_steps
from tests.oracle import Oracle


def assert_same(before: Model, after: Model, target: Target | None = None, count: int = 6) -> None:
    """The outputs are equal, and all tensors that keep name and shape."""
    first, second = (HeapInterpreter(model, target=target) for model in (before, after))
    first.allocate_tensors()
    second.allocate_tensors()
    names = {tensor.name: index for index, tensor in enumerate(before.main.tensors)}
    for inputs in random_steps(before, 1, count):
        for interpreter in (first, second):
            for index, values in enumerate(inputs):
                interpreter.input(index)[...] = values
            interpreter.invoke()
        for index in range(len(before.outputs)):
            np.testing.assert_array_equal(first.output(index), second.output(index))
        for index, tensor in enumerate(after.main.tensors):
            mine = second.eval_tensor(index).data
            if tensor.name in names and mine is not None:
                its = first.eval_tensor(names[tensor.name]).data
                if its is not None and its.shape == mine.shape:
                    np.testing.assert_array_equal(its, mine, err_msg=tensor.name)


def assert_same_in_tflm(oracle: Oracle, before: Model, after: Model, count: int = 6) -> None:
    steps = random_steps(before, 2, count)
    first, second = (oracle.run(tflite.write(model), steps) for model in (before, after))
    assert (first.status, second.status) == ("ok", "ok"), second.log
    for mine, its in zip(second.outputs, first.outputs, strict=True):
        for a, b in zip(mine, its, strict=True):
            np.testing.assert_array_equal(a, b)
