"""Models of operators that came late."""

import numpy as np

from arenite.model import Model, ModelBuilder


def reversing() -> Model:
    b = ModelBuilder()
    x = b.input("x", (2, 3), "float32")
    y = b.tensor("y", (2, 3), "float32")
    b.operator("REVERSE_V2", [x, b.constant("axis", np.array([1], np.int32))], [y])
    b.output(y)
    return b.build("reversing")
