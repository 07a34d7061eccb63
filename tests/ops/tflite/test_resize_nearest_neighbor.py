"""RESIZE_NEAREST_NEIGHBOR equals TFLM on random sizes, options and types."""

from typing import Any

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm
from tests.ops.resize import REFUSED, models, resize, run_line
from tests.oracle import Oracle

NAME = "RESIZE_NEAREST_NEIGHBOR"


test_equals_tflm = equals_tflm(models(NAME, ("int8", "int16", "float32")))


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("centers", [False, True])
def test_equals_tflm_on_every_pair_of_sizes(oracle: Oracle, corners: bool, centers: bool) -> None:
    for size in range(1, 15):
        for new in range(1, 15):
            model = resize(
                NAME, "int8", (1, size, 1, 1), (new, 1), corners=corners, centers=centers
            )
            values = [np.arange(size, dtype=np.int8).reshape(1, size, 1, 1)]
            assert agrees(oracle, model, 0, inputs=values).status == "ok"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 1, 2, 2, 3]),
        ({"corners": True}, [1, 2, 2, 3, 3]),
        ({"centers": True}, [1, 1, 2, 3, 3]),
    ],
)
def test_chooses_the_nearest(options: dict[str, bool], expected: list[int]) -> None:
    assert run_line(resize(NAME, "int8", (1, 1, 3, 1), (1, 5), **options), [1, 2, 3]) == expected


@pytest.mark.parametrize(("arguments", "changes", "message"), REFUSED)
def test_refuses(arguments: tuple[Any, ...], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        HeapInterpreter(resize(NAME, *arguments, **changes)).allocate_tensors()
