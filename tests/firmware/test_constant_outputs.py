"""Outputs that are constants."""

import numpy as np

from arenite.firmware import export
from arenite.firmware.plan.constant_outputs import with_copied_constants
from arenite.model import ModelBuilder
from tests.firmware.built import Compiled
from tests.firmware.models import residual


def relu_and_a_constant():
    """int8 [1,4] -> its ReLU, and twice 0, 1, 2, 3."""
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "int8", scale=1.0), b.tensor("y", (1, 4), "int8", scale=1.0)
    b.operator("RELU", [x], [y])
    constant = b.constant("c", np.arange(4, dtype=np.int8).reshape(2, 2), scale=1.0)
    for index in (y, constant, constant):
        b.output(index)
    return b.build()


def test_an_output_that_is_a_constant_is_there_after_every_inference(tmp_path):
    model = relu_and_a_constant()
    compiled = Compiled(export(model, tmp_path / "m", target=None), model)
    for _ in range(2):
        y, *constants = compiled(np.array([[-1, 2, -3, 4]], np.int8))
        assert y.tolist() == [[0, 2, 0, 4]]
        assert [one.tolist() for one in constants] == [[[0, 1], [2, 3]]] * 2


def test_other_models_stay_as_they_are():
    model = residual()
    assert with_copied_constants(model) is model
