"""MNN_TILE equals LiteRT's TILE; TFLM has neither."""

from typing import Any

import numpy as np
import pytest

from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from tests.litert_oracle import litert
from tests.mnn.operator_models import Fed, outputs_of, single
from tests.ops.differential import random_array, run_arenite


def tile(
    shape: tuple[int, ...],
    multiples: tuple[int, ...],
    kind: str = "float32",
    name: str = "MNN_TILE",
) -> Model:
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.constant("multiples", np.array(multiples, np.int32))]
    y = b.tensor("y", tuple(n * max(m, 0) for n, m in zip(shape, multiples, strict=False)), kind)
    custom = b"" if name.startswith("MNN_") else None
    b.operator(name, inputs, [y], custom_options=custom)
    b.output(y)
    return b.build()


CASES: list[tuple[Any, ...]] = [
    ((3,), (2,)),
    ((2, 3), (2, 1), "int8"),
    ((2, 3, 1), (1, 3, 4), "int32"),
    ((1, 2, 3, 2), (2, 1, 2, 3)),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equals_litert(case: tuple[Any, ...]) -> None:
    pytest.importorskip("ai_edge_litert")
    model = tile(*case)
    x = random_array(model.inputs[0], np.random.default_rng(1))
    (theirs,) = litert([tflite.write(tile(*case, name="TILE"))], [[x]])
    assert theirs is not None
    np.testing.assert_array_equal(run_arenite(model, [[x]])[0][0], theirs[0][0])


def test_each_axis_is_repeated() -> None:
    operator = single("TILE", [Fed((1, 2)), np.int32([2, 2])], Fed((2, 4)))
    (y,) = outputs_of(operator, np.float32([[1, 2]]))
    assert y.tolist() == [[1, 2, 1, 2]] * 2
