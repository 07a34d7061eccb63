"""RESIZE_BILINEAR equals TFLM on random sizes, options and types."""

from typing import Any

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm
from tests.ops.resize import REFUSED, models, resize, run_line
from tests.oracle import Oracle

NAME = "RESIZE_BILINEAR"


test_equals_tflm = equals_tflm(models(NAME, ("int8", "float32")), float_rtol=0.0)


@pytest.mark.parametrize("options", [{}, {"corners": True}, {"centers": True}])
def test_equals_tflm_on_every_pair_of_sizes(oracle: Oracle, options: dict[str, bool]) -> None:
    for size in range(1, 15):
        for new in range(1, 15):
            model = resize(NAME, "int8", (1, size, 1, 1), (new, 1), **options)
            values = [np.where(np.arange(size) % 3, 127, -128).reshape(1, size, 1, 1)]
            answer = agrees(oracle, model, 0, inputs=[values[0].astype(np.int8)])
            assert answer.status == "ok"


@pytest.mark.parametrize("kind", ["int8", "float32"])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0, 50, 100, 100]),
        ({"corners": True}, [0, 33, 67, 100]),
        ({"centers": True}, [0, 25, 75, 100]),
    ],
)
def test_interpolates(kind: str, options: dict[str, bool], expected: list[int]) -> None:
    line = run_line(resize(NAME, kind, (1, 1, 2, 1), (1, 4), **options), [0, 100])
    assert line == pytest.approx(expected, abs=0.4)


def test_rounds_halves_away_from_zero() -> None:
    model = resize(NAME, "int8", (1, 1, 4, 1), (1, 8))
    assert run_line(model, [0, 1, 0, -1]) == [0, 1, 1, 1, 0, -1, -1, -1]


@pytest.mark.parametrize(
    ("arguments", "changes", "message"),
    [
        *REFUSED,
        (("int16", (1, 2, 2, 1), (3, 3)), {}, "Input 0 is one of: float32, int8"),
        (
            ("int8", (1, 2, 2, 1), (3, 3)),
            {"corners": True, "centers": True},
            "Not both align_corners and half_pixel_centers",
        ),
        (
            ("int8", (1, 1, 1, 1), (600, 1)),
            {},
            "resizing 1 to 600 rounds so that TFLM reads behind",
        ),
    ],
)
def test_refuses(arguments: tuple[Any, ...], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        HeapInterpreter(resize(NAME, *arguments, **changes)).allocate_tensors()
