"""TILE equals LiteRT, because TFLM does not have it."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from tests.litert import litert
from tests.ops.differential import random_array, run_arenite


def tile(shape: tuple[int, ...], multiples: tuple[int, ...], kind: str = "float32") -> Model:
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.constant("multiples", np.array(multiples, np.int32))]
    y = b.tensor("y", tuple(n * max(m, 0) for n, m in zip(shape, multiples, strict=False)), kind)
    b.operator("TILE", inputs, [y])
    b.output(y)
    return b.build()


MODELS = [
    tile((3,), (2,)),
    tile((2, 3), (2, 1), "int8"),
    tile((2, 3, 1), (1, 3, 4), "int32"),
    tile((1, 2, 3, 2), (2, 1, 2, 3)),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model.inputs[0].shape))
def test_equals_litert(model: Model) -> None:
    pytest.importorskip("ai_edge_litert")
    x = random_array(model.inputs[0], np.random.default_rng(1))
    (theirs,) = litert([tflite.write(model)], [[x]])
    assert theirs is not None
    np.testing.assert_array_equal(run_arenite(model, [[x]])[0][0], theirs[0][0])


def test_each_axis_is_repeated() -> None:
    x = np.array([[1, 2]], np.float32)
    assert run_arenite(tile((1, 2), (2, 2)), [[x]])[0][0].tolist() == [[1, 2, 1, 2]] * 2


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (tile((2, 2), (1,)), "a number of 0 or more per axis"),
        (tile((2,), (-1,)), "a number of 0 or more per axis"),
    ],
)
def test_what_is_refused(model: Model, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        run_arenite(model, [])
